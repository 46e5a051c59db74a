// A file that is ours as a whole, in a folder that is the agent's.
import { AppError } from "../core/error.ts";
import type { ManagedFile } from "./setup.ts";

/** One by that name which is not ours is never written over. */
export function ownFile(path: string, about: string, content: string, isOurs: (text: string) => boolean): ManagedFile {
  return {
    path,
    about,
    add(text) {
      if (text !== undefined && !isOurs(text)) {
        throw new AppError("file_taken", `${path} is there and not C-Mem's; nothing was changed.`, {
          hint: "Move it away, then run the command again.",
        });
      }
      return content;
    },
    remove: (text) => (isOurs(text) ? undefined : text),
  };
}

/** A file of nothing but an MCP server or two. */
export function serversFile(
  path: string,
  edit: { add(text: string): string; remove(text: string): string; isEmpty(text: string): boolean },
): ManagedFile {
  return {
    path,
    about: "register the memory tools (the MCP server c-mem)",
    add: (text = "") => edit.add(text),
    remove(text) {
      const left = edit.remove(text);
      return edit.isEmpty(left) ? undefined : left;
    },
  };
}
