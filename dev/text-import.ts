// `import sql from "./x.sql"` (or "./x.md") gives the file's text, in the build and in tests.
import { readFileSync } from "node:fs";

export function textImport() {
  return {
    name: "text-import",
    load(id: string): { code: string; moduleType: "js" } | undefined {
      if (!id.endsWith(".sql") && !id.endsWith(".md")) return undefined;
      return { code: `export default ${JSON.stringify(readFileSync(id, "utf8"))};`, moduleType: "js" };
    },
  };
}
