// Lets `import sql from "./x.sql"` (or a prompt, "./x.md") give the file's text, in the build and in the tests alike.
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
