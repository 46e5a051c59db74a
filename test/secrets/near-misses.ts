// Texts that are not secret, but look like credentials or are in the place of one. The filter must keep them.
import { ALNUM, BASE64, BASE64URL, DIGITS, HEX, LOWER, type Random, UPPER, uuid } from "./random.ts";

export interface NearMiss {
  name: string;
  make(random: Random): string;
}

const NEVER_REAL = "EXAMPLE";

export const NEAR_MISSES: readonly NearMiss[] = [
  // Hashes and ids
  miss("git log", (r) => `commit ${r.text(HEX, 40)}\nAuthor: Ann <ann@example.com>\nDate: Mon\n\n    Rotate keys`),
  miss("git log in short", (r) => `${r.text(HEX, 8)} Add a token bucket\n${r.text(HEX, 8)} Fix auth redirect`),
  miss(
    "git show",
    (r) => `index ${r.text(HEX, 10)}..${r.text(HEX, 10)} 100644\n--- a/src/token.ts\n+++ b/src/token.ts`,
  ),
  miss(
    "git tree",
    (r) => `100644 blob ${r.text(HEX, 40)}\tsrc/secret-words.ts\n100644 blob ${r.text(HEX, 40)}\tpassword.md`,
  ),
  miss("uuid", (r) => `request_id=${uuid(r)} session=${uuid(r)} user ${uuid(r)}`),
  miss("uuid in JSON", (r) => JSON.stringify({ id: uuid(r), parentUuid: uuid(r), sessionId: uuid(r) })),
  miss(
    "npm lock",
    (r) =>
      `"node_modules/minipass": {\n  "version": "7.1.2",\n  "resolved": "https://registry.npmjs.org/minipass/-/minipass-7.1.2.tgz",\n  "integrity": "sha512-${r.text(BASE64, 86)}=="\n}`,
  ),
  miss(
    "yarn lock",
    (r) =>
      `token-types@^6.0.0:\n  version "6.0.0"\n  resolved "https://registry.yarnpkg.com/token-types/-/token-types-6.0.0.tgz#${r.text(HEX, 40)}"\n  integrity sha512-${r.text(BASE64, 86)}==`,
  ),
  miss(
    "pnpm lock",
    (r) => `  /keyv@4.5.4:\n    resolution: {integrity: sha512-${r.text(BASE64, 86)}==}\n    engines: {node: '>=18'}`,
  ),
  miss("cargo lock", (r) => `[[package]]\nname = "secrecy"\nversion = "0.10.3"\nchecksum = "${r.text(HEX, 64)}"`),
  miss(
    "go.sum",
    (r) =>
      `golang.org/x/oauth2 v0.21.0 h1:${r.text(BASE64, 43)}=\ngolang.org/x/oauth2 v0.21.0/go.mod h1:${r.text(BASE64, 43)}=`,
  ),
  miss("poetry lock", (r) => `{file = "tokenizers-0.20.0.tar.gz", hash = "sha256:${r.text(HEX, 64)}"},`),
  miss(
    "pip hashes",
    (r) => `passlib==1.7.4 \\\n    --hash=sha256:${r.text(HEX, 64)} \\\n    --hash=sha256:${r.text(HEX, 64)}`,
  ),
  miss("sha256sum", (r) => `${r.text(HEX, 64)}  secrets.tar.gz\n${r.text(HEX, 64)}  token.json`),
  miss(
    "docker digest",
    (r) => `Digest: sha256:${r.text(HEX, 64)}\nStatus: Downloaded newer image for node@sha256:${r.text(HEX, 64)}`,
  ),
  miss("docker ps", (r) => `CONTAINER ID   IMAGE\n${r.text(HEX, 12)}   redis:7\n${r.text(HEX, 12)}   vault:1.17`),
  miss(
    "kubectl pods",
    (r) =>
      `auth-api-${r.text(HEX, 9)}-${r.text(LOWER, 5)}   1/1   Running\ntoken-svc-${r.text(HEX, 10)}-${r.text(LOWER, 5)}   1/1   Running`,
  ),
  miss("etag", (r) => `etag: W/"${r.text(HEX, 32)}"\nx-request-id: ${uuid(r)}\ncf-ray: ${r.text(HEX, 16)}-FRA`),
  miss("trace", (r) => `traceparent: 00-${r.text(HEX, 32)}-${r.text(HEX, 16)}-01`),
  miss(
    "build id",
    (r) => `/_next/static/${r.text(BASE64URL, 21)}/_buildManifest.js /assets/index-${r.text(ALNUM, 8)}.js`,
  ),
  miss("object id", (r) => `{"_id": "${r.text(HEX, 24)}", "authorId": "${r.text(HEX, 24)}"}`),
  miss("tool use id", (r) => `{"tool_use_id":"toolu_01${r.text(ALNUM, 22)}","message":"msg_01${r.text(ALNUM, 22)}"}`),
  miss(
    "aws names",
    (r) =>
      `arn:aws:iam::123456789012:role/token-rotator i-0${r.text(HEX, 16)} vpc-${r.text(HEX, 17)} sg-${r.text(HEX, 17)}`,
  ),
  miss("file hash", (r) => `dist/auth.${r.text(HEX, 20)}.js   12.3 kB`),
  miss("memory address", (r) => `at 0x${r.text(HEX, 16)} in token_next (lexer.c:120)`),
  miss(
    "hex dump",
    (r) => `00000000  ${Array.from({ length: 16 }, () => r.text(HEX, 2)).join(" ")}  |................|`,
  ),
  miss("ethereum address", (r) => `owner: 0x${r.text(HEX, 40)} block 19${r.text(DIGITS, 6)}`),

  // Encoded data
  miss("image", (r) => `![logo](data:image/png;base64,iVBORw0KGgo${r.text(BASE64, 400)}==)`),
  miss("image in CSS", (r) => `.key-icon{background:url(data:image/svg+xml;base64,PHN2Zy${r.text(ALNUM, 300)})}`),
  miss("font", (r) => `src:url(data:font/woff2;base64,d09GMgABAAAA${r.text(BASE64, 500)}) format("woff2")`),
  miss("source map", (r) => `//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz${r.text(ALNUM, 300)}`),
  miss(
    "mappings",
    (r) =>
      `{"version":3,"mappings":"AAAA,${Array.from({ length: 60 }, () => `${r.text("ACEGIKMQSUYgB", 4)}`).join(",")};"}`,
  ),
  miss(
    "certificate",
    (r) => `-----BEGIN CERTIFICATE-----\nMIID${r.text(BASE64, 60)}\n${r.text(BASE64, 64)}\n-----END CERTIFICATE-----`,
  ),
  miss(
    "certificate in base64",
    (r) =>
      `certificate-authority-data: ${Buffer.from(`-----BEGIN CERTIFICATE-----\nMIID${r.text(BASE64, 60)}\n-----END CERTIFICATE-----`).toString("base64")}`,
  ),
  miss("public key", (r) => `-----BEGIN PUBLIC KEY-----\nMIIB${r.text(BASE64, 60)}\n-----END PUBLIC KEY-----`),
  miss("ssh public key", (r) => `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB${r.text(BASE64, 300)} ann@laptop`),
  miss("ssh ed25519", (r) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.text(BASE64, 43)} ann@laptop`),
  miss(
    "known hosts",
    (r) =>
      `github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.text(BASE64, 43)}\nSHA256:${r.text(BASE64, 43)} github.com (ED25519)`,
  ),
  miss("wasm", (r) => `const bytes = "AGFzbQEAAAAB${r.text(BASE64, 600)}";`),
  miss("integrity", (r) => `<script src="a.js" integrity="sha384-${r.text(BASE64, 64)}" crossorigin></script>`),
  miss("content security", (r) => `script-src 'sha256-${r.text(BASE64, 43)}=' 'self'`),
  miss(
    "cursor",
    (r) => `{"nextPageToken": "", "endCursor": "Y3Vyc29yOnYyOpK5${r.text(ALNUM, 20)}==", "hasNextPage": true}`,
  ),

  // Examples, masks, references
  miss("aws documentation", () => `Set AWS_ACCESS_KEY_ID=AKIAIOSFODNN7${NEVER_REAL} as in the guide`),
  miss("aws documentation in code", () => `credentials: { accessKeyId: "AKIAIOSFODNN7${NEVER_REAL}" }`),
  miss("aws key in a table", () => `| access key | AKIAIOSFODNN7${NEVER_REAL} |`),
  miss(
    "placeholder",
    () => `GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nOPENAI_API_KEY=sk-...\nDB_PASSWORD=changeme`,
  ),
  miss("your key", () => `ANTHROPIC_API_KEY=your-api-key-here\nSTRIPE_SECRET_KEY=<your secret key>\nTOKEN=REPLACE_ME`),
  miss("mask", () => `token: ghp_****************************abcd\npassword: ••••••••\napi_key=sk-ant-…`),
  miss("actions", () => `env:\n  NPM_TOKEN: \${{ secrets.NPM_TOKEN }}\n  PASSWORD: \${{ vars.PASSWORD1 }}`),
  miss(
    "compose",
    () => `environment:\n  POSTGRES_PASSWORD: \${POSTGRES_PASSWORD:?set it}\n  SECRET_KEY: \${SECRET_KEY}`,
  ),
  miss("helm", () => `password: {{ .Values.db.password | quote }}\ntoken: {{ include "app.token" . }}`),
  miss(
    "terraform",
    () =>
      `password = var.db_password\ntoken    = data.vault_generic_secret.app.data["token"]\nsecret_id = aws_secretsmanager_secret.db.id`,
  ),
  miss(
    "vault paths",
    () =>
      `password: vault:secret/data/app#db_password\nsecretName: app-tls\nsecretKeyRef:\n  name: app\n  key: password`,
  ),
  miss("op reference", () => `API_KEY=op://Private/app/credential`),
  miss("netrc template", () => `machine api.example.com login $USER password $TOKEN`),
  miss("curl template", () => `curl -u "$USER:$PASSWORD" -H "Authorization: Bearer $TOKEN" https://example.com`),
  miss("curl user alone", () => `curl -u ann https://example.com`),
  miss("mysql prompt", () => `mysql -u root -p app < schema.sql\nmysqldump -p --all-databases`),
  miss("mysql port", () => `mysql -h db -P 3306 -u root --protocol=tcp`),
  miss("docker ports", () => `docker run -p 8080:80 --name web nginx\ndocker login -u ann --password-stdin ghcr.io`),
  miss("mkdir -p", () => `mkdir -p build/mysql-plugins && cp -pr a b && ssh -p 2222 host`),

  // Code about credentials
  miss(
    "TypeScript",
    () =>
      `interface Login {\n  username: string;\n  password: string;\n  token?: AuthToken | null;\n  secretKey: Uint8Array;\n}`,
  ),
  miss(
    "TypeScript object",
    () => `return {\n  password: hashedPassword,\n  token: createToken(user),\n  apiKey: config.apiKey,\n  secret\n};`,
  ),
  miss(
    "Python",
    () =>
      `def login(username: str, password: str, token: Optional[str] = None) -> bool:\n    password = getpass.getpass("Password: ")\n    return check_password(password, user.password)`,
  ),
  miss(
    "Python class",
    () => `class User(Base):\n    password: str\n    secret: SecretStr = Field(...)\n    token: Token | None`,
  ),
  miss(
    "Go",
    () =>
      `type Config struct {\n\tPassword string \`json:"password"\`\n\tToken    string \`yaml:"token,omitempty"\`\n}\ntoken, err := auth.NewToken(ctx)`,
  ),
  miss("Rust", () => `pub struct Auth { password: String, token: Option<Token> }\nlet secret: &[u8] = keys.signing();`),
  miss(
    "Java",
    () => `private String password;\npublic void setPassword(String password) { this.password = password; }`,
  ),
  miss(
    "SQL",
    () => `CREATE TABLE users (id bigint primary key, password varchar(255) not null, token text, secret_key bytea);`,
  ),
  miss("zod", () => `const schema = z.object({ password: z.string().min(8), token: z.string().optional() });`),
  miss(
    "GraphQL",
    () => `type Mutation {\n  login(email: String!, password: String!): AuthPayload\n}\nquery { me { token secret } }`,
  ),
  miss(
    "OpenAPI",
    () => `password:\n  type: string\n  format: password\ntoken:\n  type: string\n  description: The access token`,
  ),
  miss("JSON schema", () => `{"password": {"type": "string", "minLength": 8}, "required": ["password", "token"]}`),
  miss(
    "HTML form",
    () => `<input type="password" name="password" autocomplete="current-password" placeholder="Enter your password">`,
  ),
  miss("translations", () => `login:\n  password: Passwort\n  forgot: Passwort vergessen?\n  token: Zugriffsschlüssel`),
  miss(
    "translations in English",
    () => `password: Password\nnew_password: New password\nsecret: Secret\napi_key: API key`,
  ),
  miss(
    "help",
    () =>
      `  -p, --password <password>  Password to use\n      --token string         Access token (default: $TOKEN)\n      --api-key KEY          API key`,
  ),
  miss("usage", () => `usage: app login [--username USER] [--password PASSWORD] [--token TOKEN]`),
  miss("ansible", () => `password: "{{ vault_db_password }}"\nbecome_pass: "{{ lookup('env', 'PASS') }}"`),
  miss("states", () => `password: required\nauth: enabled\nsecret: false\ntoken: expired\npasswd: disabled`),
  miss("regular expression", () => `const PATTERN = /(?:password|secret|token)\\s*[:=]\\s*(\\S+)/gi;`),
  miss("test", () => `expect(response.body.token).toBeDefined();\nexpect(user.password).not.toEqual(password);`),
  miss(
    "error",
    () =>
      `Error: password authentication failed for user "app"\nInvalid token at position 42\nJsonWebTokenError: jwt malformed`,
  ),
  miss(
    "model usage",
    () => `{"usage":{"input_tokens":1234,"output_tokens":5678,"cache_read_input_tokens":123456},"max_tokens":4096}`,
  ),
  miss(
    "tokenizer",
    () =>
      `{"bos_token":"<s>","eos_token":"</s>","unk_token":"<unk>","token_type_ids":[0,0,1],"special_tokens_map":"special_tokens_map.json"}`,
  ),
  miss("parser", () => `if (token.type === "identifier") return parseKey(token.value, nextToken(), TokenKind.Comma1);`),
  miss(
    "keys of things",
    () =>
      `primary_key: user_id2\nforeign_key: account_id2\ncache_key: users:list:v2\nsort_key = created_at\npartition_key: tenant_2024`,
  ),
  miss(
    "key names",
    (r) => `key: "home.title2"\nkeyboard: us104\nmonkey: george7\nhotkey=ctrl+k1 idempotency-key: ${uuid(r)}`,
  ),
  miss(
    "long identifiers",
    () =>
      `AbstractSingletonProxyFactoryBeanWithTokenAuthentication2Provider.createPasswordResetRequestHandlerFactory1()`,
  ),
  miss(
    "kebab names",
    () => `task-force-alpha-very-long-feature-branch-name-2024-with-many-words sk-loading-spinner-container-large`,
  ),
  miss("snake names", () => `test_password_reset_token_expires_after_24_hours PASSED\ntest_api_key_rotation_v2 PASSED`),
  miss(
    "minified",
    (r) =>
      `!function(e,t){"use strict";var n=t(${r.int(999)}),r=e.token,o=n.auth||{};function i(e){return e.password&&e.key?a(e.password,e.key):null}}();`,
  ),
  miss(
    "webpack",
    (r) =>
      `(self.webpackChunk=self.webpackChunk||[]).push([[${r.int(9999)}],{${r.int(9999)}:(e,t,n)=>{n.d(t,{Token:()=>r,authKey:()=>o})}}]);`,
  ),
  miss(
    "CSS",
    () =>
      `.token.keyword{color:#c678dd}.token.string{color:#98c379}.auth-form__password--invalid{outline:1px solid #f00}`,
  ),
  miss(
    "prose",
    () => `The password field was too short, so the token expired and the secret had to be rotated in 2024.`,
  ),
  miss(
    "prose with numbers",
    () => `Use a token bucket with 100 tokens; auth takes 20ms, key size 2048 bits, OAuth2 and SHA256 as before.`,
  ),
  miss(
    "prose about logins",
    () => `login with your password works, machine learning too; login fails when password reset is pending`,
  ),
  miss("changelog", () => `- **auth**: password reset is fixed (#1234)\n- **token**: refresh is 2x faster in v3.2.1`),
  miss("versions", () => `jsonwebtoken@9.0.2 passport@0.7.0 keyv@4.5.4 @types/passport-jwt@4.0.1 secretlint@9.3.1`),
  miss(
    "addresses",
    () =>
      `http://localhost:3000/login?next=/a@2x.png https://github.com/org/repo/issues/12 ssh://git@github.com:22/org/repo.git`,
  ),
  miss("mail", () => `ann.key@example.com, token-team@example.com: see https://example.com/@ann/secret-santa`),
  miss(
    "stripe publishable",
    (r) => `pk_${"live"}_${r.text(ALNUM, 24)} and price_1${r.text(ALNUM, 23)} cus_${r.text(ALNUM, 14)}`,
  ),
  miss(
    "host names",
    (r) => `db-${r.text(LOWER, 8)}.cluster-${r.text(LOWER + DIGITS, 12)}.eu-west-1.rds.amazonaws.com:5432`,
  ),
  miss("counts", () => `tokens: 123456\nkeys: 2048\npasses: 12\nauthors: 34\nsecrets: 0\npass: 1234\nfailed: 3`),
  miss("test report", () => `Tests: 3 failed, 1203 passed\n✓ auth: pass (12ms)\n✓ key2: pass`),
  miss(
    "paths",
    () => `src/auth/password-reset.ts:12:3 token_store/v2/keys.rs ~/.ssh/id_ed25519.pub /run/secrets/db_password`,
  ),
  miss("cookie in code", () => `res.cookie("theme", "dark", { httpOnly: true }); document.cookie = "lang=en; path=/";`),
  miss(
    "ids in capitals",
    (r) => `ORDER-${r.text(UPPER + DIGITS, 10)} SKU ${r.text(UPPER, 3)}-${r.text(DIGITS, 6)} ABN ${r.text(DIGITS, 11)}`,
  ),
  miss("timestamps", () => `20260301T100000Z 2026-03-01T10:00:00.123456789+01:00 1767225600000 key 1767225600`),
];

function miss(name: string, make: NearMiss["make"]): NearMiss {
  return { name, make };
}
