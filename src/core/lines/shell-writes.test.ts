import { expect, it } from "vitest";
import { mayWriteFile, shellChanges } from "./shell-writes.ts";

const whole = (...lines: string[]) => [{ kind: "whole", lines, isNew: false }];

it.each([
  ["cat > src/a.ts <<'EOF'\none\ntwo $x\nEOF\nnpm test", whole("one", "two $x")],
  ["cd /app && cat <<EOF > ./src/a.ts\none\nEOF", whole("one")],
  ['mkdir -p src; tee "src/a.ts" <<-"END" >/dev/null\none\nEND', whole("one")],
  ["cat > src/a.ts <<-EOF\n\tone\n\t\ttwo\n\tEOF", whole("one", "two")],
  ["cat >> /app/src/a.ts <<'EOF'\nmore\nEOF", [{ kind: "lines", before: [], after: ["more"] }]],
  ["cat > src/a.ts <<EOF\nhello $USER, welcome\nEOF", [{ kind: "some", lines: ["hello $USER, welcome"] }]],
  ["cat > b.ts <<'EOF'\none\nEOF\ncat > src/a.ts <<'EOF'\ntwo\nEOF", whole("two")],
  ["cat > src/a.ts <<'EOF'\nno end", whole("no end")],
  ["python3 - <<'EOF'\nopen('src/a.ts')\nEOF", []],
  ["cat src/a.ts > /dev/null", []],
  // The output of another program.
  ["python3 - <<'EOF' > src/a.ts\nprint(1)\nEOF", []],
  ["cat <<'EOF' | sort > src/a.ts\nb\na\nEOF", []],
  ["cat <<'EOF' | tee src/a.ts\none\nEOF", whole("one")],
  // Another file of the same name.
  ["cat > a.ts <<'EOF'\none\nEOF", []],
  ["cat > lib/src/../a.ts <<'EOF'\none\nEOF", []],
  ["cd src\ncat > a.ts <<'EOF'\none\nEOF", whole("one")],
  ["cd src && cat > ./a.ts <<'EOF'\none\nEOF", whole("one")],
  ["(cd /app/lib; cat > ../src/a.ts <<'EOF'\none\nEOF\n)", whole("one")],
  ["sed -i s/a/b/ src/a.ts", []],
])("%j", (command, expected) => {
  expect(shellChanges(command, { path: "src/a.ts", cwd: "/app" })).toEqual(expected);
});

it("a file in the root is not the one in a folder", () => {
  const changes = (named: string, cwd: string) =>
    shellChanges(`cat > ${named} <<'EOF'\none\nEOF`, { path: "a.txt", cwd }).length;
  expect(changes("a.txt", "/app")).toBe(1);
  expect(changes("../a.txt", "/app/src")).toBe(1);
  expect(changes("/app/a.txt", "/app/src")).toBe(1);
  expect(changes("docs/a.txt", "/app")).toBe(0);
  expect(changes("/app/docs/a.txt", "/app")).toBe(0);
});

it.each([
  "npm run build > lib/a.ts",
  "sed -i 's/a/b/' lib/a.ts",
  "cd /app && npx prettier --write lib/a.ts lib/b.ts",
  "curl -s https://example.org -o lib/a.ts",
  "cp lib/b.ts lib/a.ts",
  "python3 - <<'EOF'\nopen('lib/a.ts', 'w').write('x')\nEOF",
  `node -e "fs.writeFileSync('lib/a.ts', text)"`,
  "git add -A; echo x | tee -a lib/a.ts",
])("%s may write the file", (command) => {
  expect(mayWriteFile(command, "lib/a.ts")).toBe(true);
});

it.each([
  "cat lib/a.ts",
  "cat lib/a.ts > lib/b.ts",
  "cp lib/a.ts lib/b.ts",
  "git add lib/a.ts && git commit -m 'Change lib/a.ts'",
  "git mv lib/b.ts lib/a.ts",
  "git checkout main -- lib/a.ts",
  "grep -w -o name lib/a.ts",
  "npx vitest run lib/a.ts",
  "sed -n 1,20p lib/a.ts",
  "sed -i 's/a/b/' lib/a.ts.bak lib/data.ts",
  "node lib/a.ts > out.txt",
  "python3 - <<'EOF'\nprint(open('lib/a.ts').read())\nEOF",
])("%s does not", (command) => {
  expect(mayWriteFile(command, "lib/a.ts")).toBe(false);
});
