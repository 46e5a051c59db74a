import { expect, it } from "vitest";
import { readPatch } from "./diff.tsx";

it("drops a patch's file headers, but no changed line that begins with -- or ++", () => {
  const patch = ["--- a.sql", "+++ a.sql", "@@ -1,2 +1,2 @@", " SELECT 1;", "--- old comment", "+-- new comment"].join(
    "\n",
  );
  expect(readPatch(patch)).toEqual([
    { kind: "gap", text: "@@ -1,2 +1,2 @@" },
    { kind: "same", text: "SELECT 1;" },
    { kind: "removed", text: "-- old comment" },
    { kind: "added", text: "-- new comment" },
  ]);
});
