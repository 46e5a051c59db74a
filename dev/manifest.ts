// Runs before and after `npm pack`: the published package.json lists no dependencies, because all are bundled. In the
// repository it lists them apart from the development tools, so that `npm audit --omit=dev` checks only them.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const manifest = join(root, "package.json");
const saved = join(root, "node_modules", ".package.json.saved");

if (process.argv[2] === "strip") {
  const text = readFileSync(manifest, "utf8");
  writeFileSync(saved, text);
  const {
    dependencies: _,
    devDependencies: __,
    overrides: ___,
    ...published
  } = JSON.parse(text) as Record<string, unknown>;
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
} else if (existsSync(saved)) {
  renameSync(saved, manifest);
}
