// Classifies shell commands by purpose. "look" (`ls`, `git status`, but also `mkdir` or `git add`) is not work.
import { commandForm, commandKey, splitCommand } from "../../core/shell-command.ts";
import type { EvidenceToolUse } from "../../store/reads/turn-evidence.ts";
import { clip } from "../../core/prose.ts";

export type Purpose = "test" | "check" | "build" | "migrate" | "deploy" | "install" | "git" | "run" | "look";

/** One shell command the agent ran. */
export interface Run {
  use: EvidenceToolUse;
  command: string;
  /** The command without `cd`, redirections and `| tail`: runs with the same key are the same command. */
  key: string;
  purpose: Purpose;
}

/** Wrappers and variables before the program: "CI=1 npx vitest" -> "vitest". */
const PREFIX =
  /^(?:(?:sudo|rtk|time|nohup|exec|command|env|npx|bunx|uvx|pnpx|(?:pnpm|yarn|bun) (?:dlx|exec|x)|npm exec(?: --)?|uv run|poetry run|pipenv run|timeout \S+|[A-Z_][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|\S*))\s+)+/;
const SCRIPT = String.raw`(?:npm|pnpm|yarn|bun|deno|turbo|nx|just|task|make|rake|composer|hatch)(?: (?:run|task|-s|-r|--filter \S+|-C \S+|--silent))*`;

/** The first pattern that matches decides. */
export const PURPOSES: readonly { purpose: Purpose; example: string; pattern: RegExp }[] = [
  {
    purpose: "test",
    example: "npm run test:unit",
    pattern: new RegExp(
      String.raw`^(?:vitest|jest|pytest|mocha|ava|tap|rspec|phpunit|tox|ctest|playwright test|cypress run|go test|cargo (?:nextest|test)|node (?:\S+ )*--test|python3? -m (?:pytest|unittest)|dotnet test|swift test|mix test|(?:mvn|gradle|\./gradlew) .*(?:test|verify)|${SCRIPT} \S*(?:test|e2e|spec)\S*)(?:\s|$)`,
    ),
  },
  {
    purpose: "migrate",
    example: "prisma migrate deploy",
    pattern:
      /\b(?:prisma (?:migrate|db push)|alembic (?:upgrade|downgrade)|drizzle-kit (?:push|migrate)|knex migrate|sequelize db:migrate|rails db:migrate|rake db:migrate|manage\.py migrate|flyway migrate|typeorm\S* migration:run|migration:run|db:migrate)\b/,
  },
  {
    purpose: "deploy",
    example: "./scripts/deploy-staging.sh",
    pattern:
      /^(?:kubectl (?:apply|rollout)|helm (?:install|upgrade)|terraform (?:apply|destroy)|pulumi up|docker push|docker(?: |-)compose (?:.* )?up|vercel|netlify deploy|fly(?:ctl)? deploy|wrangler (?:deploy|publish)|serverless deploy|cdk deploy|ansible-playbook|gh workflow run|gh release create|(?:npm|pnpm|yarn|bun|cargo|poetry|uv) publish|twine upload|gcloud .*deploy|aws .*(?:deploy|update-)|eb deploy|heroku)\b|^(?:\.\/)?(?:[\w-]+\/)*deploy[\w-]*(?:\.\w+)?(?:\s|$)|^(?:npm|pnpm|yarn|bun|make|just|task)(?: run)? [\w:-]*deploy/,
  },
  {
    purpose: "install",
    example: "npm install zod",
    pattern:
      /^(?:(?:npm|pnpm|yarn|bun) (?:i|install|add|remove|uninstall|update|upgrade|ci)|pip3? install|python3? -m pip install|uv (?:add|pip install|sync)|poetry (?:add|install)|cargo (?:add|install)|go (?:get|install)|gem install|bundle install|brew install|apt(?:-get)? install|composer require)\b/,
  },
  {
    purpose: "check",
    example: "npm run lint",
    pattern: new RegExp(
      String.raw`^(?:eslint|biome|oxlint|oxfmt|prettier|ruff|mypy|pyright|flake8|black|isort|stylelint|actionlint|shellcheck|golangci-lint|go vet|gofmt|cargo (?:clippy|fmt|check)|tsc .*--noEmit|tsc$|${SCRIPT} \S*(?:lint|typecheck|type-check|check|format|fmt)\S*)(?:\s|$)`,
    ),
  },
  {
    purpose: "build",
    example: "npm run build",
    pattern: new RegExp(
      String.raw`^(?:tsc|tsup|tsdown|vite build|webpack|rollup|esbuild|next build|astro build|cargo build|go build|docker build|docker buildx|make|cmake|mvn|gradle|\./gradlew|dotnet build|swift build|xcodebuild|${SCRIPT} \S*(?:build|compile|generate|codegen|bundle)\S*)(?:\s|$)`,
    ),
  },
  {
    purpose: "git",
    example: "git commit -m x",
    pattern:
      /^(?:git (?:-C \S+ )?(?:commit|push|merge|rebase|revert|cherry-pick|tag|reset --hard|stash pop|worktree add)|gh (?:pr|issue|release) (?:create|merge|close|edit|comment|ready|reopen))\b/,
  },
  {
    purpose: "look",
    example: "git status",
    pattern:
      /^(?:ls|cat|bat|head|tail|less|more|grep|rg|ag|find|fd|tree|wc|file|stat|du|df|pwd|cd|echo|printf|which|type|whereis|sed -n|awk|nl|jq|yq|diff|cmp|env|printenv|date|whoami|id|hostname|uname|ps|top|lsof|netstat|ss|sleep|true|test|\[|history|man|help|sort|uniq|cut|tr|xxd|od|read|open|xdg-open|tmux|export|source|\.|set|alias|mkdir|touch|chmod|cp|kill|pkill|wait|jobs|git(?: -C \S+)?(?: (?:status|log|diff|show|branch|blame|remote|fetch|pull|rev-parse|ls-files|ls-remote|ls-tree|config|describe|grep|stash|worktree list|checkout|switch|add|restore|reflog|cat-file|merge-base|name-rev|shortlog|for-each-ref|rev-list|clean|submodule))|gh (?:pr|issue|run|api|repo|auth|release|search|workflow|label)|(?:npm|pnpm|bun) (?:view|ls|list|pm|why|outdated|root|prefix|config)|docker (?:ps|logs|inspect|images)|kubectl (?:get|describe|logs)|command -v|entire|bd|c-mem)(?:\s|$)/,
  },
];

/** The highest rank decides for a line of several commands: "npm test && git push" is "test". */
const RANK: readonly Purpose[] = ["deploy", "migrate", "test", "build", "check", "install", "git", "run", "look"];

export function runOf(use: EvidenceToolUse): Run | undefined {
  const command = use.input["command"];
  if (use.name !== "Bash" || typeof command !== "string" || command.trim() === "") return undefined;
  return { use, command, key: commandKey(command), purpose: purposeOf(command) };
}

export function purposeOf(command: string): Purpose {
  const purposes = new Set(splitCommand(command).map(purposeOfPart));
  return RANK.find((purpose) => purposes.has(purpose)) ?? "look";
}

function purposeOfPart(part: string): Purpose {
  const program = part.replace(PREFIX, "").replace(/^(?:\.\/)?node_modules\/\.bin\//, "");
  if (/(?:^|\s)(?:--version|--help|-h|-V)$/.test(program) || program.startsWith("#")) return "look";
  return PURPOSES.find(({ pattern }) => pattern.test(program))?.purpose ?? "run";
}

/** A command without an exit code was denied or interrupted, which is no failure. */
export function hasFailed({ use }: Run): boolean {
  return use.isError && (use.exitCode ?? 0) !== 0;
}

const SHOWN_CHARS = 100;
const MAX_COMMAND_CHARS = 2_000;

/** The command in backticks, without the text of a commit message. */
export function shownCommand(command: string): string {
  const [head = ""] = command.slice(0, MAX_COMMAND_CHARS).split(/<<-?\s*['"]?\w+/);
  const form = commandForm(head.replace(/\s+(?:-m|--message|--body)[= ]*"?\$\(cat\s*$/, ""));
  return `\`${clip(form.replaceAll("`", "'"), SHOWN_CHARS)}\``;
}
