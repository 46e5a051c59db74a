// Lets `import sql from "./x.sql"` give the file's text, in the build and in the tests alike.
import { readFileSync } from "node:fs";

export function sqlText() {
  return {
    name: "sql-text",
    load(id: string): { code: string; moduleType: "js" } | undefined {
      if (!id.endsWith(".sql")) return undefined;
      return { code: `export default ${JSON.stringify(readFileSync(id, "utf8"))};`, moduleType: "js" };
    },
  };
}
