import { expect, it } from "vitest";
import { parseRefLog } from "./ref-log.ts";

it("reads HEAD moves from git's reflog and skips other lines", () => {
  const zero = "0".repeat(40);
  const text = [
    `${zero} ${zero} Dev Name <dev@example.com> 1700000000 +0100\tcommit: Speed up the parser`,
    "not a line of it",
    `${zero} ${zero} Dev <d> 1700000100 -0000\tcheckout: moving from main to speed`,
    "",
  ].join("\n");
  expect(parseRefLog(text)).toEqual([
    { at: 1_700_000_000_000, note: "commit: Speed up the parser" },
    { at: 1_700_000_100_000, note: "checkout: moving from main to speed" },
  ]);
});
