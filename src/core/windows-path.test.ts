import { describe, expect, it } from "vitest";
import { isWindowsPath, nativeWindowsPath, pathBelow, slashedPath } from "./windows-path.ts";

describe("a Windows path", () => {
  it.each([
    [String.raw`C:\Users\x\proj\src\a.ts`, "C:/Users/x/proj/src/a.ts"],
    [String.raw`c:\Users/x\proj//src\.\a.ts`, "C:/Users/x/proj/src/a.ts"],
    [String.raw`\\?\C:\Users\x\..\y`, "C:/Users/y"],
    [String.raw`\\?\UNC\server\share\a`, "//server/share/a"],
    [String.raw`\\server\share\a`, "//server/share/a"],
    ["/c/Users/x", "C:/Users/x"],
    ["/cygdrive/d/x", "D:/x"],
    ["/mnt/c/x", "C:/x"],
    [String.raw`src\a.ts`, "src/a.ts"],
    [String.raw`..\a.ts`, "../a.ts"],
    [String.raw`C:\..\..\a`, "C:/a"],
    ["C:", "C:"],
    [String.raw`C:\ `.trim(), "C:/"],
    ["/etc/hosts", "/etc/hosts"],
  ])("%s is %s", (path, expected) => {
    expect(slashedPath(path)).toBe(expected);
    expect(slashedPath(expected)).toBe(expected);
  });

  it("is recognised", () => {
    expect([String.raw`C:\a`, "c:/a", String.raw`\\?\C:\a`, "C:"].every(isWindowsPath)).toBe(true);
    expect(["/c/a", "a:b", "src/a.ts", String.raw`src\a.ts`, "", "https://x"].some(isWindowsPath)).toBe(false);
  });

  it("is below a folder in any case", () => {
    expect(pathBelow("C:/Users/X/Proj", "C:/users/x/proj/src/A.ts")).toBe("src/A.ts");
    expect(pathBelow("C:/proj", "C:/proj-2/a.ts")).toBeUndefined();
    expect(pathBelow("C:/proj", "C:/proj")).toBeUndefined();
    expect(pathBelow("C:/", "C:/a")).toBe("a");
  });

  it("is written with backslashes", () => {
    expect(nativeWindowsPath("/c/Users/x")).toBe(String.raw`C:\Users\x`);
  });
});
