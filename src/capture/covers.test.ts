import { expect, it } from "vitest";
import { covers } from "./covers.ts";

it.each([
  ["*/acme", "/home/me/clients/acme/src"],
  ["/home/M\u00fcller/**", "/home/Mu\u0308ller/a"],
  ["/home/Mu\u0308ller", "/home/M\u00fcller/a"],
  ["**", "/a"],
])("%j covers %j", (pattern, path) => {
  expect(covers(pattern, path)).toBe(true);
});
