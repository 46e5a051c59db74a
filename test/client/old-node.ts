// Finds a Node on this machine that is too old for the database. Not every machine has one.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

export function oldNode(): string | undefined {
  return systemFolders(process.env["PATH"])
    .map((folder) => join(folder, "node"))
    .find((node) => {
      const version = existsSync(node) ? spawnSync(node, ["--version"], { encoding: "utf8" }).stdout : "";
      const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
      return major > 0 && (major < 22 || (major === 22 && minor < 16));
    });
}

/** A PATH on which `node` is the old one. */
export function withNodeFirst(path: string | undefined, node: string): string {
  return [dirname(node), ...systemFolders(path)].join(delimiter);
}

/** The PATH without node_modules: npm puts the project's own Node in front. */
function systemFolders(path = ""): string[] {
  return path.split(delimiter).filter((folder) => folder !== "" && !folder.includes("node_modules"));
}
