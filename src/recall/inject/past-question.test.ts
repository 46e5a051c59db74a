import { describe, expect, it } from "vitest";
import { asksAboutLastSession, asksAboutPast } from "./past-question.ts";

describe("a prompt about earlier work", () => {
  it.each([
    "tell me again how the lens table is loaded",
    "What was the staging host called again?",
    "how do I start the emulator again?",
    "remind me which port the proxy uses",
    "refresh my memory on the retry logic",
    "what is the flag called that skips the seed step",
    "do you remember what we set up for the staging logs?",
    "I forgot which queue the mailer uses",
    "why did we drop the second index",
    "what did we decide about the cache",
    "where did we leave off with the importer?",
    "didn't we already fix the token refresh?",
    "did we not go through this before, the sandbox has no docker",
    "have we ever measured the cold start",
    "was there any work done on streaming uploads?",
    "is the mailer work already logged somewhere?",
    "there is already a todo about the resolver I think",
    "has this already been fixed on the other branch",
    "use the same layout as before",
    "do the migration like we did for the orders table",
    "previously the list had one consistent style",
    "keep to the clean break strategy from before",
    "we recently changed the SDK target, was that right?",
    "we discussed a fallback for the resolver",
    "you mentioned a race in the drain loop",
    "I thought we removed trace.json",
    "i believe we recently did research on the sandbox",
    "what did the byok setting get replaced with",
    "what happened to the sharing endpoint",
    "why do we have two publish workflows",
    "have there been any schema changes in this phase?",
    "it's the same error again",
    "as you suggested last time, split the parser",
    "yesterday the importer still worked",
  ])("is %j", (text) => {
    expect(asksAboutPast(text)).toBe(true);
  });

  it.each([
    "try again",
    "please run the tests again",
    "ok do it again",
    "add a button that clears the basket",
    "implement the importer for csv files",
    "the list should be sorted by name",
    "can you make the header sticky",
    "push it and open a PR",
  ])("is not %j", (text) => {
    expect(asksAboutPast(text)).toBe(false);
  });

  it("is about the last session as a whole only if it says so", () => {
    expect(asksAboutLastSession("what did we do last time?")).toBe(true);
    expect(asksAboutLastSession("where did we leave off?")).toBe(true);
    expect(asksAboutLastSession("what was the staging host called again?")).toBe(false);
  });
});
