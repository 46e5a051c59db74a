import { expect, it } from "vitest";
import { purposeOf, PURPOSES, shownCommand } from "./commands.ts";

it.each(PURPOSES)("$example has the purpose $purpose", ({ example, purpose }) => {
  expect(purposeOf(example)).toBe(purpose);
});

it.each([
  ["cd /app && npm run test:unit 2>&1 | tail -20", "test"],
  ["CI=1 npx vitest run src", "test"],
  ["pnpm --filter api test -- shares", "test"],
  ["python -m pytest -q", "test"],
  ["uv run pytest", "test"],
  ["tsc --noEmit && npm run lint", "check"],
  ["npx prisma migrate deploy", "migrate"],
  ["npm publish --access public", "deploy"],
  ["gh api repos/a/b-deploy/contents", "look"],
  ["git add -A && git commit -m 'fix: npm test'", "git"],
  ["git status && git log -3", "look"],
  ["cat a | grep b; ls", "look"],
  ["node --version", "look"],
  ["node scripts/import.ts", "run"],
  ["", "look"],
])("%s has the purpose %s", (command, purpose) => {
  expect(purposeOf(command)).toBe(purpose);
});

it("quotes a command without its commit message", () => {
  expect(shownCommand("cd /app && git commit -m \"$(cat <<'EOF'\nfix: it\nEOF\n)\"")).toBe("`git commit`");
});
