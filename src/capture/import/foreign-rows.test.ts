import { expect, it } from "vitest";
import { prompt, seedStore } from "../../../test/seed.ts";
import { projectNamed } from "./foreign-rows.ts";

it("projectNamed prefers the project of the folder to a newer project of the same name", () => {
  const { db, add } = seedStore();
  const one = { key: "git:one", name: "app", root: "/one/app" };
  const two = { key: "git:two", name: "app", root: "/two/app" };
  add("first", prompt("Fix it"), { project: one });
  add("second", prompt("Fix it"), { project: two });
  expect(projectNamed(db, "app", "/one/app")).toEqual(one);
  expect(projectNamed(db, "app", "/two/app")).toEqual(two);
  expect(projectNamed(db, "app", "")).toEqual(two);
  expect(projectNamed(db, "app", "/three/app")).toEqual({ key: "/three/app", name: "app", root: "/three/app" });
  db.close();
});
