import { execFileSync } from "node:child_process";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { addStatusLine, findStatusLine, removeStatusLine } from "./settings.ts";

const BUNDLE = "/home/me/.c-mem/plugin/c-mem/dist/hook.cjs";
const read = (text: string) => parse(text) as Record<string, unknown>;

describe("the status line", () => {
  it("is C-Mem's after it is added, and gone after it is removed", () => {
    const text = '{\n  // mine\n  "model": "opus"\n}\n';
    const added = addStatusLine(text, "/usr/bin/node", BUNDLE);
    expect(findStatusLine(read(added))).toBe("ours");
    expect(added).toContain("// mine");
    expect(addStatusLine(added, "/usr/bin/node", BUNDLE)).toBe(added);
    expect(findStatusLine(read(removeStatusLine(added)))).toBeUndefined();
  });

  it.each([{ type: "command", command: "~/line.sh" }, "text", { command: 7 }])(
    "of another program is recognised: %j",
    (value) => {
      expect(findStatusLine({ statusLine: value })).toBe("other");
    },
  );

  it.skipIf(process.platform === "win32")("is quoted for the shell", () => {
    const added = addStatusLine("{}", "/bin/echo", '/a "b" $HOME `x` \\/c-mem/dist/hook.cjs');
    const { command } = read(added)["statusLine"] as { command: string };
    expect(execFileSync("sh", ["-c", command], { encoding: "utf8" })).toBe(
      '/a "b" $HOME `x` \\/c-mem/dist/hook.cjs statusline\n',
    );
  });
});
