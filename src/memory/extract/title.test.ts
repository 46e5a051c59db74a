import { describe, expect, it } from "vitest";
import { titleFrom } from "./title.ts";

describe("titleFrom", () => {
  it.each([
    ["Done. I've added a retry to the upload.", "Added a retry to the upload"],
    ["**Root cause**: the lock is never released.", "The lock is never released"],
    ["Committed as `abc1234`: Add the cart to the page", "Add the cart to the page"],
    ["`src/upload.ts:12` — replaced the retry by a queue", "Replaced the retry by a queue (upload.ts)"],
    ["useApi() returns the same object on every render.", "useApi() returns the same object on every render"],
  ])("%j -> %j", (sentence, title) => {
    expect(titleFrom(sentence)).toBe(title);
  });

  it("ends a long sentence at a clause", () => {
    const title = titleFrom(
      "The upload of large files is now retried three times with a pause of a second, because the network of the office drops connections",
    );
    expect(title).toBe("The upload of large files is now retried three times with a pause of a second");
  });

  it("does not cut before words that turn the meaning", () => {
    const sentence =
      "The reviewer is right that the two validators expect different lengths, but the fix belongs into the validator of the server";
    expect(titleFrom(sentence)).toBeUndefined();
  });

  it.each([
    "It now works on every page.",
    "Also fixed the header of the page.",
    "This is what was asked for.",
    "Does it look right to you?",
    "https://example.com/a/b and more",
    "All done",
    `The upload ${"and the download ".repeat(10)}work`,
  ])("is no title if the sentence cannot stand alone: %j", (sentence) => {
    expect(titleFrom(sentence)).toBeUndefined();
  });
});
