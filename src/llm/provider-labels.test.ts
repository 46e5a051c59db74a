import { expect, it } from "vitest";
import { PROVIDERS } from "../config/schema.ts";
import { PROVIDER_LABELS, providerLabel } from "./provider-labels.ts";

it.each(PROVIDERS)("%s has a name for people", (id) => {
  expect(Object.keys(PROVIDER_LABELS)).toContain(id);
  expect(providerLabel(id)).not.toBe(id);
});
