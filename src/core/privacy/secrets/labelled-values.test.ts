import { describe, expect, test } from "vitest";
import { HARMLESS, LABELLED } from "../../../../test/secrets/labelled.ts";
import { redactSecrets } from "../redact.ts";
import { viewOf } from "./view.ts";

test.each(LABELLED)("redacts the value of %j", (text) => {
  expect(redactSecrets(text)).toContain("[redacted:");
});

test.each(HARMLESS)("keeps %j", (text) => {
  expect(redactSecrets(text)).toBe(text);
});

/** A label in one notation with a value in another: what is found in one must be found in all. */
const LABELS = ["password", "DB_PASSWORD", "dbPassword", "passwd", "admin_pass", "Passwort", "密码", "client_secret"];
const VALUES = [
  "Sommerregen",
  "blue-tall-house",
  "#Hash9x",
  "$ecret9!",
  "ab1.Cd2ef",
  "hunter2",
  "Pa$$w0rd",
  "xK9#mQ2$vL",
  "Flamingo.Pond",
  "rumpel/stilz/chen",
  "Möwe!Nord",
];
const NOTATIONS: [string, (label: string, value: string) => string][] = [
  ["environment", (label, value) => `HOST=a\n${label}=${value}\nPORT=1`],
  ["YAML", (label, value) => `db:\n  user: app\n  ${label}: ${value}\n`],
  ["INI", (label, value) => `[db]\nuser = app\n${label} = ${value}\n`],
  ["JSON", (label, value) => JSON.stringify({ user: "a", [label]: value })],
  ["JSON in JSON", (label, value) => JSON.stringify({ body: JSON.stringify({ [label]: value }) })],
  ["option", (label, value) => `app run --${label} ${value} --verbose`],
  ["list of arguments", (label, value) => `["app", "--${label}", "${value}"]`],
  ["continued line", (label, value) => `app \\\n  --${label} \\\n  ${value} \\\n  -x`],
  ["Java option", (label, value) => `java -Dapp.${label}=${value} -jar a.jar`],
  ["block", (label, value) => `  ${label}: |\n    ${value}\n  x: 1`],
  ["numbered block", (label, value) => `    12\t  ${label}: |\n    13\t    ${value}\n    14\t  x: 1`],
  ["define", (label, value) => `define('${label}', '${value}');`],
  ["table", (label, value) => `| name | value |\n|---|---|\n| ${label} | \`${value}\` |\n`],
  ["column", (label, value) => `| user | ${label} |\n|---|---|\n| ann | ${value} |\n`],
  ["CSV", (label, value) => `user,${label},role\nann,${value},admin\n`],
  ["HTML", (label, value) => `<input value="${value}" type="text" name="${label}"/>`],
  ["XML", (label, value) => `<add key="${label}" value="${value}" />`],
  ["colours", (label, value) => `\x1b[36m${label}\x1b[0m=\x1b[33m${value}\x1b[0m`],
  ["no-break spaces", (label, value) => `${label}\u00a0=\u00a0${value}`],
  ["full-width colon", (label, value) => `${label}：${value}`],
  ["manifest", (label, value) => `- name: ${label}\n  value: ${value}\n- name: X\n`],
  ["numbered manifest", (label, value) => `    10→- name: ${label}\n    11→  value: ${value}\n`],
  ["manifest in a diff", (label, value) => `+- name: ${label}\n+  value: ${value}\n`],
  ["manifest in JSON", (label, value) => JSON.stringify({ text: `- name: ${label}\n  value: ${value}\n` })],
  ["connection string", (label, value) => `Server=a;Database=b;${label}=${value};Encrypt=yes`],
  ["grep", (label, value) => `config/app.ini:12:${label} = ${value}`],
  ["SQL", (label, value) => `INSERT INTO t (a, ${label}) VALUES ('x', '${value}');`],
  ["call", (label, value) => `props.setProperty("${label}", "${value}");`],
];

/** Notations in which the whole line or quotation is the value, so that it may have several words. */
const PHRASES: [string, (label: string, value: string) => string][] = [
  ["environment", (label, value) => `HOST=a\n${label}=${value}\nPORT=1`],
  ["YAML", (label, value) => `db:\n  user: app\n  ${label}: ${value}\n`],
  ["block", (label, value) => `  ${label}: |\n    ${value}\n  x: 1`],
  ["JSON", (label, value) => JSON.stringify({ user: "a", [label]: value })],
  ["fallback", (label, value) => `const key = process.env.${label} || "${value}";`],
  ["directive", (label, value) => `user ann\n${label} "${value}"\nport 25\n`],
];

test.each(PHRASES)("finds several words in the notation of %s", (_, render) => {
  for (const label of ["password", "DB_PASSWORD", "smtp_password"]) {
    for (const value of ["green apples fall", "Quietly Flows the Don"]) {
      expect(redactSecrets(render(label, value)), `${label} ${value}`).not.toContain(value);
    }
  }
});

test.each(NOTATIONS)("finds every label and value in the notation of %s", (_, render) => {
  for (const label of LABELS) {
    for (const value of VALUES) expect(redactSecrets(render(label, value)), `${label} ${value}`).not.toContain(value);
  }
});

describe("viewOf", () => {
  test("shows text as a reader sees it, and maps places back", () => {
    const text = 'x \x1b[36mkey\x1b[0m：\u00a0\\"a b\\"\n   12\tnext';
    const view = viewOf(text, 2, text.length);
    expect(view.text).toBe('key: "a b"\nnext');
    const piece = (found: string): string => {
      const at = view.text.indexOf(found);
      return text.slice(view.startOf(at), view.endOf(at + found.length));
    };
    expect(["key", "a b", "next"].map(piece)).toEqual(["key", "a b", "next"]);
  });
});
