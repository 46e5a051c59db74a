// Settings in the order people look for them. One that belongs nowhere yet stands under "Other".
import type { Setting } from "../../wire.ts";

const GROUPS: readonly [name: string, isIn: RegExp][] = [
  ["What is recorded", /^(?:enabled|exclude|skip|max|archive|project|sessionFolders)/],
  ["What agents are told", /^(?:surfaces|context|holdout)/],
  ["Models", /^(?:provider|model|baseUrl|apiKey|prices)/],
  ["Budget", /^(?:tokens|usd)Per/],
  ["Search", /^search/],
  ["Meaning", /^embeddings/],
  ["Keeping", /^(?:retention|backup|compress)/],
  ["Worker", /^(?:worker|port)/],
  ["Other", /./],
];

export function groupsOf(settings: readonly Setting[]): { name: string; settings: Setting[] }[] {
  const placed = Map.groupBy(settings, ({ key }) => GROUPS.find(([, isIn]) => isIn.test(key))?.[0] ?? "Other");
  return GROUPS.flatMap(([name]) => {
    const some = placed.get(name) ?? [];
    return some.length === 0 ? [] : [{ name, settings: some }];
  });
}
