import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactSecrets, secretRanges } from "../redact.ts";
import { isSecretKey } from "./placeholders.ts";
import { SECRETS } from "./secrets.ts";

describe("the table", () => {
  test.each(SECRETS.map(({ name, sample }) => [name, sample] as const))(
    "%s: its sample is redacted",
    (name, sample) => {
      const [range, ...others] = secretRanges(sample);
      expect({ name: range?.name, others }).toEqual({ name, others: [] });
      const secret = sample.slice(range?.start, range?.end).trim();
      for (const text of [sample, `some words\n${sample}\nmore words`, JSON.stringify({ text: `a\n${sample}\nb` })]) {
        const redacted = redactSecrets(text);
        expect(redacted).toContain(`[redacted:${name}]`);
        expect(redacted).not.toContain(secret);
        expect(redacted).not.toContain(secret.split("\n")[0]);
      }
    },
  );

  test("every pattern is global, and matches only texts with its hints", () => {
    const hints = SECRETS.flatMap((secret) => secret.hints ?? []);
    for (const { pattern } of SECRETS) expect(pattern().global).toBe(true);
    for (const hint of hints) expect(hints.filter((other) => other !== hint && other.startsWith(hint))).toEqual([]);
  });
});

describe("redactSecrets", () => {
  test.each([
    ['password: "hunter2"', 'password: "*"'],
    ["PASSWORD=hunter2", "PASSWORD=*"],
    ["DB_PASSWORD=letmein", "DB_PASSWORD=*"],
    ["password: hunter2", "password: *"],
    ["password: 'letmein'", "password: '*'"],
    ["password:hunter2", "password:*"],
    ["password: 123456", "password: *"],
    ["export PGPASSWORD=hunter2", "export PGPASSWORD=*"],
    ['$password = "hunter2";', '$password = "*";'],
    ['password := "hunter2"', 'password := "*"'],
    [":password => 'hunter2'", ":password => '*'"],
    ['password = "pa\\"ss1"', 'password = "*"'],
    ['password="""hunter2"""', 'password="""*"""'],
    ['password="correct horse battery staple"', 'password="*"'],
    ['token="abc123def', 'token="*'],
    ['{"password":"hunter2","a":1}', '{"password":"*","a":1}'],
    ['{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"*\\"}'],
    ['\\\\\\"api_key\\\\\\": \\\\\\"abc123def\\\\\\"', '\\\\\\"api_key\\\\\\": \\\\\\"*\\\\\\"'],
    ["PASSWORD=hunter2\\nFOO=bar", "PASSWORD=*\\nFOO=bar"],
    ["password=Ab{c1}d", "password=*"],
    ["spring.datasource.password=P@ssword", "spring.datasource.password=*"],
    ["smtp_pass: hunter2", "smtp_pass: *"],
    ['dbPass = "hunter2"', 'dbPass = "*"'],
    ["client_secret=foo1bar2&grant_type=x", "client_secret=*&grant_type=x"],
    ["?access_token=abc123def&x=1", "?access_token=*&x=1"],
    ['const token: string = "abc123def"', 'const token: string = "*"'],
    ['config["password"] = "hunter2"', 'config["password"] = "*"'],
    ["TOKEN=$(echo abc) PASSWORD=hunter2", "TOKEN=$(echo abc) PASSWORD=*"],
    ["- name: DB_PASSWORD\n  value: hunter2", "- name: DB_PASSWORD\n  value: *"],
    ['{"name":"API_KEY","value":"abc123"}', '{"name":"API_KEY","value":"*"}'],
    ["**Password:** hunter2", "**Password:** *"],
    ["**Password**: `hunter2`", "**Password**: `*`"],
    ["x-api-key: abc123def456", "x-api-key: *"],
    ["--password hunter2 -v", "--password * -v"],
    ["--password 'letmein'", "--password '*'"],
    ["--token=abc123", "--token=*"],
    ["CREATE USER x WITH PASSWORD 'hunter2'", "CREATE USER x WITH PASSWORD '*'"],
    ["the password is hunter2", "the password is *"],
    ["token is 9f8a7b6c5d4e3f2a1b0c", "token is *"],
    ["api key 9f8a7b6c5d4e3f2a1b0c9f8a", "api key *"],
    ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic *"],
    ["AUTHORIZATION: token abcdef123456", "AUTHORIZATION: token *"],
    ["-H 'authorization: Bearer abcdef123456'", "-H 'authorization: Bearer *'"],
    ['"Authorization":"Bearer abcdef123456"', '"Authorization":"Bearer *"'],
    ["Cookie: theme=dark; sessionid=abc123def456", "Cookie: *"],
    ['--cookie "sid=abcdef123456"', '--cookie "*"'],
    ["mongodb://u:p@ss@h/db", "mongodb://u:*@h/db"],
    ["redis://:hunter2@h:1", "redis://:*@h:1"],
    ["https://user:pass@host/x", "https://user:*@host/x"],
    ['secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYQWERTYUKEY"', 'secretAccessKey: "*"'],
  ])("%j becomes %j", (text, expected) => {
    expect(redactSecrets(text).replaceAll(/\[redacted:[a-z-]+\]/g, "*")).toBe(expected);
  });

  test.each([
    ["as JSON", '"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBg\\n-----END PRIVATE KEY-----\\n"'],
    ["cut off at its end", "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRHrHrHrHrHrHrHr\nMIIEvQIBADANBg"],
    ["cut off at its beginning", "QIBADANBgkqhkiG9w0BAQEFAASC\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----"],
    ["in a listing", "  1→-----BEGIN EC PRIVATE KEY-----\n  2→MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n  3→MIIEvQIBADANBg"],
    [
      "in the end of a listing",
      "  2→MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n  3→MIIEvQIBADANBg\n  4→-----END PRIVATE KEY-----",
    ],
    [
      "of PGP",
      "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\nMIIEvQIBADANBg\n=ab12\n-----END PGP PRIVATE KEY BLOCK-----",
    ],
  ])("a private key %s is redacted", (_, text) => {
    expect(redactSecrets(`before ${text}`)).toMatch(/^before .*\[redacted:private-key\]/s);
    expect(redactSecrets(`before ${text}`)).not.toContain("IBADAN");
  });

  test.each([
    // Code
    "password = getPassword()",
    "const token = await fetchToken()",
    "token: string",
    "password?: string",
    "password: str",
    "token: Optional[str] = None",
    "token: Uint8Array",
    "secret: u64",
    "password: String!",
    "type Token = string",
    "let token: Token = Token::new(1)",
    "def login(user, password):",
    "if (password.length < 8) throw",
    "password: z.string().min(8)",
    "password: hash(password1)",
    "password: password2",
    "this.token = token;",
    "token: this.auth2.token",
    "token = tokens[i1]",
    "token := jwt.New(jwt.SigningMethodHS256)",
    "return token ? token : undefined",
    'token === "comma"',
    "const { token, secret } = props",
    'prompt("Password: ")',
    '"Token: " + token1',
    'console.log("password: " + pw1)',
    "auth: { user, pass }",
    "export const PASSWORD_MIN_LENGTH = 12",
    "secret-key: !GetAtt Foo.Arn",
    "private_key = ed25519.Ed25519PrivateKey.generate()",
    'headers.authorization = "Basic " + btoa(user)',
    "full_headers['Authorization'] = authorization_header",
    "credentials = standard_b64encode(x)",
    "self.pre_auth = pre_auth2",
    'token: "?NonExpression"',
    "user_pass = '%s:%s'",
    "task-runner-with-a-very-long-name",
    'class="sk-fading-circle-container"',
    "primaryKeyJoinColumnAnnotation",
    'if (text.includes("-----BEGIN PRIVATE KEY-----")) return',
    // References and placeholders
    "password=$DB_PASSWORD",
    "password=${TOKEN}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "secret: {{ .Values.secret2 }}",
    "apiKey: process.env.API_KEY",
    'password=getenv("DB_PASS1")',
    "password = os.environ['DB_PASSWORD']",
    "private_key: ./certs/key1.pem",
    "password: /run/secrets/db_password1",
    "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:foo-1a2b",
    "token: <your-token>",
    'api_key: "YOUR_API_KEY"',
    "password: ********",
    "API_KEY=XXXXXXXXXXXX",
    "access_token=...",
    'secret=""',
    "password: null",
    "secret: true",
    "token: undefined",
    "--token <token>",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Authorization: `Bearer ${token}`",
    "'Authorization': 'Bearer ' + token",
    "postgres://$USER:$PASSWORD@host/db",
    "postgres://{user}:{password}@host/db",
    "password=[redacted:credential]",
    // Other things of these names
    "tokens: 1234",
    '"input_tokens":512,"cache_read_input_tokens":123456',
    "max_tokens: 4096",
    "token_count = 12345",
    "const tokenizer = new Tokenizer2()",
    'eos_token: "</s>12345678"',
    "secretary: bob123",
    "author: alice42",
    "passwordField: x12345",
    "bypass: route53",
    '"minipass": "^7.0.4"',
    "readonly STENCIL_DEPTH_PASS: 0x0B96;",
    'Token: "#f8f8f2"',
    "pass: 45ms",
    "PWD=/home/alice/project1",
    "kind: Secret",
    "secrets: inherit",
    "primary_key: id1",
    "auth: oauth2",
    "DISABLE_AUTH=1",
    "npm_config_registry=https://npm.example.com/",
    "cookie: name=value",
    // Prose
    "the password is wrong",
    "The token is sha256 hashed",
    "use --password to set it",
    "--token is required",
    '"password": "must be at least 8 characters"',
    'password: "Enter your password"',
    "Authorization header is missing",
    "Bearer authentication",
    "secret scanning in 2024",
    // Random text that is not secret
    "git commit 8f3a2b1c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a",
    '"integrity": "sha512-h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uEoQ=="',
    "http://localhost:3000/path@2x.png",
    "http://localhost:3000?email=a@b.com",
    "git@github.com:org/repo.git",
  ])("does not change %j", (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  test("does not change its own result", () => {
    fc.assert(
      fc.property(soup(), (text) => {
        const redacted = redactSecrets(text);
        expect(redactSecrets(redacted)).toBe(redacted);
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ..."<=:.\\\"' aA1M",
    "password=",
    "password=a\\",
    "token:",
    "token: '",
    "token ",
    "token is ",
    "--token ",
    "token=a1b2c3 ",
    "_auth=",
    "sk-",
    "eyJ",
    ".eyJ",
    "://a:",
    "curl -u ",
    "heroku ",
    "cookie: a=",
    "Bearer ",
    "<password>",
    "[redacted:a]",
    "[redacted:",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n",
    "mysql -u a ",
    "mysql -p",
    "docker login ",
    "machine a login b ",
    "machine ",
    "htpasswd -b ",
    "echo a",
    "echo a:b |",
    "$6$",
    "$2b$10$",
    ":5432:a:",
    "identified by ",
    "ENV token ",
    "password%3D",
    "%3A%2F%2Fa%3A",
    "token&quot;:&quot;a",
    "Z2hwX",
    "password: letmein\n",
    "login a / ",
    "creds for a: b:",
    "PIN for a ",
    "createUser a SHA b AES ",
    "WIFI:S:a;",
    "Recovery codes\n1a2b-c3d4\n",
    "a1 LOGIN b c\n",
    "user a on >",
    "http_proxy=http://a:b",
    "password secret | base64 -d\n",
    "$ cat /password\n",
    "cryptsetup <<EOF\n",
    "value = 'a' WHERE b = 'password",
    "password is generated for a: ",
    "password\tb\n",
    "PASSWORD = a b c\n",
    "users: {a: {password: b}}\n",
    "stringData:\n",
    "credentials:\n  a:b\n",
    '"\n"',
    "' +\n  '",
    "a\\\n",
    "= (\n'",
    "ghp_h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uE\n",
    `ghp_${"h7Kq2Vw9".repeat(12)}\n`,
    `${"h7Kq2Vw9".repeat(12)}\n`,
  ])("takes time in proportion to the text on repeated %j", (unit) => {
    const cost = (chars: number) => {
      const text = `token cookie heroku curl secret ${unit.repeat(chars / unit.length)}`;
      return fastest(() => redactSecrets(text));
    };
    expect(cost(80_000)).toBeLessThan(32 * cost(10_000));
  });
});

test("a manifest with a secret and other deeply indented parts is filtered quickly", () => {
  const lines = Array.from({ length: 60 }, (_, index) => `            field${index}: some text with spaces\n`);
  const text = `stringData:\n  url: x\n---\nspec:\n${lines.join("")}`;
  expect(fastest(() => redactSecrets(text))).toBeLessThan(1_000);
}, 20_000);

describe("secretRanges", () => {
  test("are sorted, without overlaps, and cover only the value", () => {
    const text = 'PASSWORD=hunter2 url=redis://:abc@h "token": "abc123"';
    expect(secretRanges(text).map(({ start, end, name }) => [text.slice(start, end), name])).toEqual([
      ["hunter2", "credential"],
      ["abc", "url-password"],
      ["abc123", "credential"],
    ]);
  });

  test("are merged where they overlap", () => {
    const sample = SECRETS.find(({ name }) => name === "github")?.sample ?? "";
    expect(redactSecrets(`TOKEN=${sample}`)).toBe("TOKEN=[redacted:github]");
    expect(redactSecrets(`TOKEN=x-${sample}`)).toBe("TOKEN=[redacted:credential]");
  });
});

describe("isSecretKey", () => {
  test.each(
    "password apiKey api_key API_KEY x-api-key client_secret access_token Authorization proxy-authorization PGPASSWORD newPassword password2 db_pass dbPass pass token secret Cookie set-cookie _authToken privateKey secretAccessKey credentials".split(
      " ",
    ),
  )("is true for %s", (key) => {
    expect(isSecretKey(key)).toBe(true);
  });

  test.each(
    "tokens token_count max_tokens tokenizer tokenLimit secretary author authority passwordField bypass passed key keys publicKey primary_key PWD nextToken eos_token file_path command".split(
      " ",
    ),
  )("is false for %s", (key) => {
    expect(isSecretKey(key)).toBe(false);
  });
});

function soup(): fc.Arbitrary<string> {
  const words = [
    "password",
    "token",
    "secret",
    "api_key",
    "Authorization",
    "Bearer",
    "--token",
    "cookie",
    "value",
    "is",
  ];
  const marks = [
    "=",
    ":",
    " ",
    "\n",
    '"',
    "'",
    "\\",
    "\\n",
    "[",
    "]",
    "(",
    ".",
    "/",
    "://",
    "@",
    "&",
    ",",
    "$",
    "<",
    ">",
  ];
  const values = [
    "hunter2",
    "abc",
    "1",
    "[redacted:github]",
    "[redacted:",
    "-----END PRIVATE KEY-----",
    "🙂",
    "\uD83D",
    "eyJ",
  ];
  const samples = SECRETS.map(({ sample }) => sample);
  return fc
    .array(fc.oneof(fc.constantFrom(...words), fc.constantFrom(...marks), fc.constantFrom(...values, ...samples)))
    .map((parts) => parts.join(""));
}

function fastest(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.max(0.05, Math.min(...times));
}
