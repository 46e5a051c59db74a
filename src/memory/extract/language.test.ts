import { expect, it } from "vitest";
import { isEnglish } from "./language.ts";

it.each([
  "Fix the tests",
  "`src/a.ts`",
  "The upload is retried three times, because the network of the office drops from time to time.",
])("takes %j for English", (text) => {
  expect(isEnglish(text)).toBe(true);
});

it.each([
  "Füge Tests hinzu",
  "カートの合計を直してください",
  "Die Ursache für die falsche Summe war, dass die Funktion alle Rabatte zweimal abgezogen hat, wenn der Kunde neu war.",
  "La cause de cette erreur vient du cache, qui garde les anciennes valeurs pendant une heure et ne les efface jamais.",
])("takes %j for another language", (text) => {
  expect(isEnglish(text)).toBe(false);
});
