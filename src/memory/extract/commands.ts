// Shell commands by what they are for. Looking around is not work.
import { commandForm, commandKey, splitCommand } from "../../core/shell-command.ts";
import type { EvidenceToolUse } from "../../store/reads/turn-evidence.ts";
import { clip } from "../../core/prose.ts";

export type Purpose = "test" | "check" | "build" | "migrate" | "deploy" | "install" | "git" | "run" | "look";

/** One command as it was run, with what it was for. */
export interface Run {
  use: EvidenceToolUse;
  command: string;
  key: string;
  purpose: Purpose;
}

/** Wrappers and settings before the program itself. */
const PREFIX =
  /^(?:(?:sudo|rtk|time|nohup|exec|command|env|npx|bunx|uvx|pnpx|(?:pnpm|yarn|bun) (?:dlx|exec|x)|npm exec(?: --)?|uv run|poetry run|pipenv run|timeout \S+|[A-Z_][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|\S*))\s+)+/;
const SCRIPT = String.raw`(?:npm|pnpm|yarn|bun|deno|turbo|nx|just|task|make|rake|composer|hatch)(?: (?:run|task|-s|-r|--filter \S+|-C \S+|--silent))*`;

const PURPOSES: readonly { purpose: Purpose; pattern: RegExp }[] = [
  {
    purpose: "test",
    pattern: new RegExp(
      String.raw`^(?:vitest|jest|pytest|mocha|ava|tap|rspec|phpunit|tox|ctest|playwright test|cypress run|go test|cargo (?:nextest|test)|node (?:\S+ )*--test|python3? -m (?:pytest|unittest)|dotnet test|swift test|mix test|(?:mvn|gradle|\./gradlew) .*(?:test|verify)|${SCRIPT} \S*(?:test|e2e|spec)\S*)(?:\s|$)`,
    ),
  },
  {
    purpose: "migrate",
    pattern:
      /\b(?:prisma (?:migrate|db push)|alembic (?:upgrade|downgrade)|drizzle-kit (?:push|migrate)|knex migrate|sequelize db:migrate|rails db:migrate|rake db:migrate|manage\.py migrate|flyway migrate|typeorm\S* migration:run|migration:run|db:migrate)\b/,
  },
  {
    purpose: "deploy",
    pattern:
      /^(?:kubectl (?:apply|rollout)|helm (?:install|upgrade)|terraform (?:apply|destroy)|pulumi up|docker push|docker(?: |-)compose (?:.* )?up|vercel|netlify deploy|fly(?:ctl)? deploy|wrangler (?:deploy|publish)|serverless deploy|cdk deploy|ansible-playbook|gh workflow run|gh release create|(?:npm|pnpm|yarn|bun|cargo|poetry|uv) publish|twine upload|gcloud .*deploy|aws .*(?:deploy|update-)|eb deploy|heroku)\b|^(?:\.\/)?(?:[\w-]+\/)*deploy[\w-]*(?:\.\w+)?(?:\s|$)|^(?:npm|pnpm|yarn|bun|make|just|task)(?: run)? [\w:-]*deploy/,
  },
  {
    purpose: "install",
    pattern:
      /^(?:(?:npm|pnpm|yarn|bun) (?:i|install|add|remove|uninstall|update|upgrade|ci)|pip3? install|python3? -m pip install|uv (?:add|pip install|sync)|poetry (?:add|install)|cargo (?:add|install)|go (?:get|install)|gem install|bundle install|brew install|apt(?:-get)? install|composer require)\b/,
  },
  {
    purpose: "check",
    pattern: new RegExp(
      String.raw`^(?:eslint|biome|oxlint|oxfmt|prettier|ruff|mypy|pyright|flake8|black|isort|stylelint|actionlint|shellcheck|golangci-lint|go vet|gofmt|cargo (?:clippy|fmt|check)|tsc .*--noEmit|tsc$|${SCRIPT} \S*(?:lint|typecheck|type-check|check|format|fmt)\S*)(?:\s|$)`,
    ),
  },
  {
    purpose: "build",
    pattern: new RegExp(
      String.raw`^(?:tsc|tsup|tsdown|vite build|webpack|rollup|esbuild|next build|astro build|cargo build|go build|docker build|docker buildx|make|cmake|mvn|gradle|\./gradlew|dotnet build|swift build|xcodebuild|${SCRIPT} \S*(?:build|compile|generate|codegen|bundle)\S*)(?:\s|$)`,
    ),
  },
  {
    purpose: "git",
    pattern:
      /^(?:git (?:-C \S+ )?(?:commit|push|merge|rebase|revert|cherry-pick|tag|reset --hard|stash pop|worktree add)|gh (?:pr|issue|release) (?:create|merge|close|edit|comment|ready|reopen))\b/,
  },
  {
    purpose: "look",
    pattern:
      /^(?:ls|cat|bat|head|tail|less|more|grep|rg|ag|find|fd|tree|wc|file|stat|du|df|pwd|cd|echo|printf|which|type|whereis|sed -n|awk|nl|jq|yq|diff|cmp|env|printenv|date|whoami|id|hostname|uname|ps|top|lsof|netstat|ss|sleep|true|test|\[|history|man|help|sort|uniq|cut|tr|xxd|od|read|open|xdg-open|tmux|export|source|\.|set|alias|mkdir|touch|chmod|cp|kill|pkill|wait|jobs|git(?: -C \S+)?(?: (?:status|log|diff|show|branch|blame|remote|fetch|pull|rev-parse|ls-files|ls-remote|ls-tree|config|describe|grep|stash|worktree list|checkout|switch|add|restore|reflog|cat-file|merge-base|name-rev|shortlog|for-each-ref|rev-list|clean|submodule))|gh (?:pr|issue|run|api|repo|auth|release|search|workflow|label)|(?:npm|pnpm|bun) (?:view|ls|list|pm|why|outdated|root|prefix|config)|docker (?:ps|logs|inspect|images)|kubectl (?:get|describe|logs)|command -v|entire|bd|c-mem)(?:\s|$)/,
  },
];

const RANK: readonly Purpose[] = ["deploy", "migrate", "test", "build", "check", "install", "git", "run", "look"];

export function runOf(use: EvidenceToolUse): Run | undefined {
  const command = use.input["command"];
  if (use.name !== "Bash" || typeof command !== "string" || command.trim() === "") return undefined;
  return { use, command, key: commandKey(command), purpose: purposeOf(command) };
}

/** Of a line of several commands the one that matters most. */
export function purposeOf(command: string): Purpose {
  const purposes = new Set(splitCommand(command).map(purposeOfPart));
  return RANK.find((purpose) => purposes.has(purpose)) ?? "look";
}

function purposeOfPart(part: string): Purpose {
  const bare = part.replace(PREFIX, "").replace(/^(?:\.\/)?node_modules\/\.bin\//, "");
  if (/(?:^|\s)(?:--version|--help|-h|-V)$/.test(bare) || bare.startsWith("#")) return "look";
  return PURPOSES.find(({ pattern }) => pattern.test(bare))?.purpose ?? "run";
}

/** Ended badly by its own doing: not denied, not interrupted. */
export function hasFailed(run: Run): boolean {
  return run.use.isError && run.use.exitCode !== undefined && run.use.exitCode !== 0;
}

const SHOWN_CHARS = 100;
const LOOKED_AT_CHARS = 2_000;

/** As a person would quote it. */
export function shownCommand(command: string): string {
  // The message of a commit is not part of what was typed to be remembered.
  const head = (command.slice(0, LOOKED_AT_CHARS).split(/<<-?\s*['"]?\w+/)[0] ?? command).replace(
    /\s+(?:-m|--message|--body)[= ]*"?\$\(cat\s*$/,
    "",
  );
  const form = commandForm(head).replaceAll("`", "'");
  return `\`${clip(form, SHOWN_CHARS)}\``;
}
