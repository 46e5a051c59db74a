// Texts with a credential, as agents read and print them.
import { HEX, LOWER, type Random, uuid } from "./random.ts";

export interface Surrounding {
  name: string;
  /** The text has no variable name. Kinds recognisable only by their name are skipped. */
  isNameless?: true;
  render(key: string, secret: string, random: Random): string;
  /** The secret as it is written in this text, in all forms that must not remain. */
  spelled?: (secret: string) => string[];
}

const encode64 = (text: string): string => Buffer.from(text).toString("base64");
const camel = (key: string): string => key.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const json = (value: unknown): string => JSON.stringify(value);
const halves = (secret: string): [string, string] => {
  const middle = Math.floor(secret.length / 2);
  return [secret.slice(0, middle), secret.slice(middle)];
};

export const SURROUNDINGS: readonly Surrounding[] = [
  at("environment", (key, secret) => `HOME=/home/ann\nLANG=C.UTF-8\n${key}=${secret}\nPATH=/usr/bin:/bin\nSHLVL=1`),
  at("export", (key, secret) => `#!/bin/sh\nset -eu\nexport ${key}='${secret}'\nexec node server.js`),
  at("dotenv", (key, secret) => `# local\nPORT=3000\n${key}="${secret}"\nDEBUG=app:*\n`),
  at("JSON", (key, secret) => JSON.stringify({ port: 3000, [key]: secret, debug: true }, null, 2)),
  at("JSON in one line", (key, secret) => json({ level: "info", config: { [camel(key)]: secret, retries: 3 } })),
  at("JSON in JSON", (key, secret) => json({ body: json({ [key]: secret, n: 1 }), status: 200 })),
  at("JSON in JSON in JSON", (key, secret) => json({ log: json({ body: json({ [camel(key)]: secret }) }) })),
  at(
    "YAML",
    (key, secret) => `services:\n  api:\n    environment:\n      PORT: 3000\n      ${key}: ${secret}\n      MODE: prod`,
  ),
  at("YAML list", (key, secret) => `env:\n  - name: PORT\n    value: "3000"\n  - name: ${key}\n    value: ${secret}\n`),
  at("TOML", (key, secret) => `[server]\nport = 3000\n${key.toLowerCase()} = "${secret}"\n\n[log]\nlevel = "info"`),
  at("INI", (key, secret) => `[default]\nregion = eu-west-1\n${key.toLowerCase()} = ${secret}\noutput = json`),
  at(
    "properties",
    (key, secret) => `server.port=8080\napp.${key.toLowerCase().replaceAll("_", "-")}=${secret}\nlog.level=INFO`,
  ),
  at(
    "terraform",
    (key, secret) =>
      `variable "region" {}\nresource "app" "web" {\n  ${key.toLowerCase()} = "${secret}"\n  size = 2\n}`,
  ),
  at("PowerShell", (key, secret) => `$env:${key} = "${secret}"\nGet-ChildItem`),
  at("fish", (key, secret) => `set -gx ${key} ${secret}\nset -gx EDITOR vim`),
  at("Dockerfile", (key, secret) => `FROM node:22\nENV ${key} ${secret}\nRUN npm ci`),
  at("docker run", (key, secret) => `docker run --rm -e ${key}=${secret} -p 80:80 app:latest`),
  at(
    "docker inspect",
    (key, secret) => `"Env": [\n    "PATH=/usr/bin",\n    "${key}=${secret}",\n    "NODE_VERSION=22.1.0"\n]`,
  ),
  at("docker build", (key, secret) => `docker build --build-arg ${key}=${secret} -t app .`),
  at(
    "kubectl describe",
    (key, secret, r) =>
      `Name: web-${r.text(LOWER, 5)}\n    Environment:\n      PORT:  3000\n      ${key}:  ${secret}\n    Mounts: <none>`,
  ),
  at(
    "kubectl create",
    (key, secret) => `kubectl create secret generic app --from-literal=${key}=${secret} --dry-run=client`,
  ),
  {
    ...at(
      "kubectl get secret",
      (key, secret, r) =>
        `apiVersion: v1\ndata:\n  ${key}: ${encode64(secret)}\nkind: Secret\nmetadata:\n  uid: ${uuid(r)}`,
    ),
    spelled: (secret) => [secret, encode64(secret)],
  },
  {
    ...at("base64", (_, secret) => `$ base64 -w0 token.txt\n${encode64(secret)}\n$ `),
    isNameless: true,
    spelled: (secret) => [secret, encode64(secret)],
  },
  at(
    "CI log",
    (key, secret) =>
      `2026-03-01T10:00:00.1234567Z ##[group]Run npm publish\n2026-03-01T10:00:00.1234569Z   ${key}: ${secret}\n2026-03-01T10:00:01Z ##[endgroup]`,
  ),
  at("shell trace", (key, secret) => `+ cd /srv/app\n+ ${key}=${secret}\n+ ./deploy.sh`),
  at(
    "logfmt",
    (key, secret) => `ts=2026-03-01 level=debug msg="loaded config" ${key.toLowerCase()}=${secret} took=3ms`,
  ),
  at(
    "ps",
    (key, secret) =>
      `ann  4211  0.3  1.1 ?  Sl 10:00 0:01 node app.js --${key.toLowerCase().replaceAll("_", "-")}=${secret} --port 80`,
  ),
  at("flag", (key, secret) => `app deploy --${key.toLowerCase().replaceAll("_", "-")} ${secret} --region eu`),
  at(
    "stack trace",
    (key, secret) =>
      `AxiosError: Request failed with status code 401\n    at settle (node_modules/axios/lib/core/settle.js:19:12)\n  config: {\n    headers: { '${camel(key)}': '${secret}' },\n    method: 'get'\n  }`,
  ),
  at(
    "Python repr",
    (key, secret) => `KeyError: 'region'\nsettings = {'port': 80, '${key}': '${secret}', 'debug': False}`,
  ),
  at("JavaScript", (key, secret) => `const client = new Client({\n  ${camel(key)}: "${secret}",\n  retries: 3,\n});`),
  at("Go", (key, secret) => `func main() {\n\t${camel(key)} := "${secret}"\n\tfmt.Println(len(${camel(key)}))\n}`),
  at("Java", (key, secret) => `private static final String ${key} = "${secret}";`),
  at(
    "diff",
    (key, secret, r) =>
      `index ${r.text(HEX, 7)}..${r.text(HEX, 7)} 100644\n@@ -1,2 +1,3 @@\n PORT=3000\n+${key}=${secret}\n-DEBUG=1`,
  ),
  at("listing", (key, secret) => `     1→PORT=3000\n     2→${key}=${secret}\n     3→DEBUG=1`),
  at("grep", (key, secret) => `.env:12:${key}=${secret}\nsrc/config.ts:4:  port: 3000`),
  at("Markdown table", (key, secret) => `| name | value |\n|---|---|\n| PORT | 3000 |\n| ${key} | \`${secret}\` |`),
  at("XML", (key, secret) => `<settings>\n  <port>80</port>\n  <${camel(key)}>${secret}</${camel(key)}>\n</settings>`),
  at(
    "HTML",
    (key, secret) => `<div data-props="{&quot;${camel(key)}&quot;:&quot;${secret}&quot;,&quot;n&quot;:1}"></div>`,
  ),
  at(
    "query",
    (key, secret) => `GET /v1/items?page=2&${key.toLowerCase()}=${encodeURIComponent(secret)}&sort=asc HTTP/1.1`,
    (secret) => [secret, encodeURIComponent(secret)],
  ),
  at(
    "URL in a URL",
    (key, secret) =>
      `https://login.example.com/?next=${encodeURIComponent(`https://app.example.com/cb?${key.toLowerCase()}=${encodeURIComponent(secret)}&x=1`)}`,
    (secret) => [secret, encodeURIComponent(secret), encodeURIComponent(encodeURIComponent(secret))],
  ),
  at(
    "form body",
    (key, secret) => `grant_type=client_credentials&${key.toLowerCase()}=${encodeURIComponent(secret)}&scope=all`,
    (secret) => [secret, encodeURIComponent(secret)],
  ),
  nameless(
    "curl header",
    (_, secret) =>
      `curl -fsS https://api.example.com/v1/me \\\n  -H 'Accept: application/json' \\\n  -H 'Authorization: Bearer ${secret}'`,
  ),
  nameless(
    "HTTP",
    (_, secret) => `> GET /v1/me HTTP/2\n> Host: api.example.com\n> authorization: Bearer ${secret}\n> accept: */*`,
  ),
  nameless("api key header", (_, secret) => `curl -H "X-Api-Key: ${secret}" https://api.example.com`),
  nameless(
    "git remote",
    (_, secret) => `origin\thttps://oauth2:${encodeURIComponent(secret)}@git.example.com/a/b.git (fetch)`,
    (secret) => [secret, encodeURIComponent(secret)],
  ),
  split("continued line", (key, [head, tail]) => `export ${key}=${head}\\\n${tail}\nnpm publish`),
  split("joined strings", (key, [head, tail]) => `const ${camel(key)} = "${head}" +\n  "${tail}";`),
  split("strings side by side", (key, [head, tail]) => `${key} = (\n    "${head}"\n    "${tail}"\n)`),
  {
    ...at("wrapped", (key, secret) => `${`${key}=${secret}`.replace(/(.{60})/g, "$1\n")}\n$ `),
    spelled: (secret) => [secret],
  },
];

function at(name: string, render: Surrounding["render"], spelled?: (secret: string) => string[]): Surrounding {
  return { name, render, ...(spelled && { spelled }) };
}

function nameless(...made: Parameters<typeof at>): Surrounding {
  return { ...at(...made), isNameless: true };
}

function split(name: string, render: (key: string, parts: [string, string]) => string): Surrounding {
  return { name, render: (key, secret) => render(key, halves(secret)), spelled: (secret) => halves(secret) };
}
