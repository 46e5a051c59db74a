// Sample secrets of different kinds, made from a seed at run time. None is or was valid.
import {
  ALNUM,
  BASE64,
  BASE64URL,
  DIGITS,
  HEX,
  LOWER,
  type Random,
  seeded,
  UPPER,
  uuid,
} from "../../test/secrets/random.ts";

export interface SampleSecret {
  kind: string;
  /** As it stands in a file, a command or a prompt. */
  text: string;
  secret: string;
}

type Make = (random: Random) => string;

const password: Make = (r) => `${r.text(UPPER, 2)}${r.text(LOWER, 5)}-${r.text(ALNUM, 6)}!${r.text(DIGITS, 2)}`;
const joined = (...parts: string[]): string => parts.join("");

/** Kind, how the secret is made, and the text around it: § stands for the secret. */
const KINDS: readonly (readonly [kind: string, make: Make, around: string])[] = [
  ["AWS access key", (r) => joined("AK", "IA", r.text(UPPER + "234567", 16)), "aws_access_key_id = §"],
  ["AWS secret key", (r) => r.text(BASE64, 40), "aws_secret_access_key = §"],
  ["GitHub token", (r) => joined("gh", "p_", r.text(ALNUM, 36)), "git clone https://x:§@github.com/acme/app.git"],
  [
    "GitHub fine-grained token",
    (r) => joined("github", "_pat_", r.text(ALNUM, 22), "_", r.text(ALNUM, 59)),
    "export GH_TOKEN=§",
  ],
  [
    "GitLab token",
    (r) => joined("gl", "pat-", r.text(BASE64URL, 20)),
    "curl -H 'PRIVATE-TOKEN: §' https://gitlab.example",
  ],
  [
    "Slack bot token",
    (r) => joined("xo", "xb-", r.text(DIGITS, 12), "-", r.text(DIGITS, 12), "-", r.text(ALNUM, 24)),
    "SLACK=§",
  ],
  [
    "Slack webhook",
    (r) => joined("T", r.text(UPPER, 8), "/B", r.text(UPPER, 8), "/", r.text(ALNUM, 24)),
    "https://hooks.slack.com/services/§",
  ],
  ["Stripe key", (r) => joined("sk", "_live_", r.text(ALNUM, 24)), "stripe.api_key = '§'"],
  ["OpenAI key", (r) => joined("sk", "-proj-", r.text(BASE64URL, 48)), "OPENAI_API_KEY=§"],
  ["Anthropic key", (r) => joined("sk", "-ant-api03-", r.text(BASE64URL, 93), "AA"), "export ANTHROPIC_API_KEY=§"],
  ["Google API key", (r) => joined("AI", "za", r.text(BASE64URL, 35)), "https://maps.example/api?key=§&zoom=3"],
  ["npm token", (r) => joined("npm", "_", r.text(ALNUM, 36)), "//registry.example/:_authToken=§"],
  [
    "PyPI token",
    (r) => joined("pypi", "-AgEIcHlwaS5vcmc", r.text(BASE64URL, 70)),
    "twine upload -u __token__ -p § dist/*",
  ],
  ["SendGrid key", (r) => joined("SG", ".", r.text(BASE64URL, 22), ".", r.text(BASE64URL, 43)), "key: §"],
  ["Twilio auth token", (r) => r.text(HEX, 32), "TWILIO_AUTH_TOKEN=§"],
  ["DigitalOcean token", (r) => joined("dop", "_v1_", r.text(HEX, 64)), "doctl auth init -t §"],
  ["Heroku API key", uuid, "HEROKU_API_KEY=§"],
  ["Azure storage key", (r) => joined(r.text(BASE64, 86), "=="), "AccountName=app;AccountKey=§;EndpointSuffix=core"],
  [
    "JWT",
    (r) => ["eyJhbGciOiJIUzI1NiJ9", `eyJ${r.text(BASE64URL, 60)}`, r.text(BASE64URL, 43)].join("."),
    "Authorization: Bearer §",
  ],
  [
    "private key",
    (r) => r.text(BASE64, 64),
    joined("-----BEGIN ", "PRIVATE KEY-----\n§\n-----END ", "PRIVATE KEY-----"),
  ],
  ["database address", password, "DATABASE_URL=postgres://app:§@db.internal:5432/app"],
  ["basic auth", (r) => Buffer.from(`admin:${password(r)}`).toString("base64"), "Authorization: Basic §"],
  ["bearer token", (r) => r.text(ALNUM, 40), "curl -H 'Authorization: Bearer §' https://api.example/v1"],
  ["password in .env", password, "DB_PASSWORD=§"],
  ["password in JSON", password, '{ "user": "app", "password": "§", "port": 5432 }'],
  ["password in YAML", password, "smtp:\n  user: app\n  password: §\n"],
  ["password option", password, "mysqldump --user=app --password=§ shop"],
  ["login on a command line", password, "curl -u admin:§ https://jenkins.example/job"],
  ["sshpass", password, "sshpass -p '§' ssh deploy@web.example uptime"],
  ["session cookie", (r) => r.text(HEX, 64), "Cookie: theme=dark; sessionid=§; lang=en"],
  [
    "Telegram bot token",
    (r) => joined(r.text(DIGITS, 10), ":AA", r.text(BASE64URL, 33)),
    "https://api.telegram.org/bot§/getMe",
  ],
  ["password in a sentence", password, "The admin password is §, please use it for the login test."],
];

export function sampleSecrets(): SampleSecret[] {
  const random = seeded(4_711);
  return KINDS.map(([kind, make, around]) => {
    const secret = make(random);
    return { kind, secret, text: around.replace("§", () => secret) };
  });
}
