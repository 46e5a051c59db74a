// Kinds of credentials, generated so that no secret scanner reports this file.
import { ALNUM, BASE64, BASE64URL, DIGITS, HEX, LOWER, type Random, UPPER, uuid } from "./random.ts";

export interface Kind {
  name: string;
  /** The usual name of its environment variable. */
  key: string;
  /** The value is recognisable only by its key. */
  isNamed?: true;
  make(random: Random): string;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export const KINDS: readonly Kind[] = [
  // Code and packages
  lead("github classic", "GITHUB_TOKEN", ["ghp", "_"], ALNUM, 36),
  lead("github app", "GH_TOKEN", ["ghs", "_"], ALNUM, 36),
  kind("github fine-grained", "GH_PAT", (r) => `github_${"pat"}_${r.text(ALNUM, 22)}_${r.text(ALNUM, 59)}`),
  lead("gitlab", "GITLAB_TOKEN", ["glpat", "-"], BASE64URL, 20),
  lead("gitlab runner", "RUNNER_TOKEN", ["GR13", "48941"], BASE64URL, 20),
  lead("bitbucket", "BITBUCKET_APP_PASSWORD", ["AT", "BB"], ALNUM, 32),
  lead("atlassian", "JIRA_API_TOKEN", ["ATATT", "3"], `${ALNUM}_-`, 180),
  lead("npm", "NPM_TOKEN", ["npm", "_"], ALNUM, 36),
  lead("pypi", "TWINE_PASSWORD", ["pypi-", "AgEIcHlwaS5vcmc"], BASE64URL, 120),
  lead("rubygems", "GEM_HOST_API_KEY", ["ruby", "gems_"], HEX, 48),
  lead("crates.io", "CARGO_REGISTRY_TOKEN", ["ci", "o"], ALNUM, 32),
  lead("nuget", "NUGET_API_KEY", ["oy", "2"], LOWER + DIGITS, 43),
  lead("docker hub", "DOCKERHUB_TOKEN", ["dckr", "_pat_"], BASE64URL, 27),
  lead("artifactory", "ARTIFACTORY_API_KEY", ["AK", "Cp"], ALNUM, 69),
  lead("sonar", "SONAR_TOKEN", ["sq", "u_"], HEX, 40),
  lead("circleci", "CIRCLE_TOKEN", ["CCI", "PAT_"], `${ALNUM}_`, 44),
  lead("buildkite", "BUILDKITE_TOKEN", ["bk", "ua_"], HEX, 40),
  lead("sourcegraph", "SRC_ACCESS_TOKEN", ["sg", "p_"], HEX, 40),

  // Clouds
  lead("aws key id", "AWS_ACCESS_KEY_ID", ["AK", "IA"], UPPER + "234567", 16),
  { ...lead("aws secret key", "AWS_SECRET_ACCESS_KEY", [], BASE64, 40), isNamed: true },
  { ...lead("aws session token", "AWS_SESSION_TOKEN", ["IQoJb3Jp", "Z2luX2Vj"], BASE64, 320), isNamed: true },
  lead("gcp api key", "GOOGLE_API_KEY", ["AI", "za"], BASE64URL, 35),
  lead("google oauth", "GOOGLE_CLIENT_SECRET", ["GOC", "SPX-"], BASE64URL, 28),
  lead("google access", "GCLOUD_ACCESS_TOKEN", ["ya", "29."], BASE64URL, 120),
  kind("azure storage", "AZURE_STORAGE_KEY", (r) => `${r.text(BASE64, 86)}==`, true),
  kind("azure client", "AZURE_CLIENT_SECRET", (r) => `${r.text(ALNUM, 3)}8${"Q"}~${r.text(`${ALNUM}_.~-`, 34)}`),
  lead("digitalocean", "DIGITALOCEAN_TOKEN", ["dop", "_v1_"], HEX, 64),
  lead("heroku", "HEROKU_API_KEY", ["HR", "KU-"], `${ALNUM}_-`, 60),
  { ...kind("heroku by name", "HEROKU_API_KEY", uuid), isNamed: true },
  { ...lead("cloudflare", "CLOUDFLARE_API_TOKEN", [], BASE64URL, 40), isNamed: true },
  lead("fly", "FLY_API_TOKEN", ["fm", "2_"], BASE64, 120),
  lead("alibaba", "ALIYUN_ACCESS_KEY", ["LT", "AI"], ALNUM, 20),
  lead("vault", "VAULT_TOKEN", ["hv", "s."], ALNUM, 24),
  kind("terraform cloud", "TFE_TOKEN", (r) => `${r.text(ALNUM, 14)}.atlas${"v1"}.${r.text(ALNUM, 67)}`),
  lead("pulumi", "PULUMI_ACCESS_TOKEN", ["pu", "l-"], HEX, 40),
  lead("doppler", "DOPPLER_TOKEN", ["dp", ".pt."], ALNUM, 43),
  lead("databricks", "DATABRICKS_TOKEN", ["da", "pi"], HEX, 32),
  lead("dynatrace", "DT_API_TOKEN", ["dt0", "c01."], `${UPPER}${DIGITS}`, 24, (r) => `.${r.text(UPPER + DIGITS, 64)}`),
  lead("openshift", "OC_TOKEN", ["sha", "256~"], BASE64URL, 43),
  lead("supabase", "SUPABASE_SERVICE_KEY", ["sb", "_secret_"], BASE64URL, 31),
  lead("vercel blob", "BLOB_READ_WRITE_TOKEN", ["vercel", "_blob_rw_"], `${ALNUM}_`, 48),
  lead("planetscale", "PLANETSCALE_TOKEN", ["pscale", "_tkn_"], BASE64URL, 43),
  lead("tailscale", "TS_AUTHKEY", ["tskey", "-auth-"], ALNUM, 40),

  // Models
  lead("anthropic", "ANTHROPIC_API_KEY", ["sk-", "ant-api03-"], BASE64URL, 95),
  lead("openai", "OPENAI_API_KEY", ["sk-", "proj-"], BASE64URL, 120),
  lead("openai old", "OPENAI_KEY", ["sk", "-"], ALNUM, 48),
  lead("openrouter", "OPENROUTER_API_KEY", ["sk-", "or-v1-"], HEX, 64),
  lead("groq", "GROQ_API_KEY", ["gs", "k_"], ALNUM, 52),
  lead("xai", "XAI_API_KEY", ["xa", "i-"], ALNUM, 80),
  lead("perplexity", "PPLX_API_KEY", ["ppl", "x-"], ALNUM, 48),
  lead("replicate", "REPLICATE_API_TOKEN", ["r", "8_"], ALNUM, 37),
  lead("huggingface", "HF_TOKEN", ["h", "f_"], ALNUM, 34),
  lead("nvidia", "NVIDIA_API_KEY", ["nv", "api-"], BASE64URL, 64),
  lead("langsmith", "LANGSMITH_API_KEY", ["lsv2", "_pt_"], HEX, 32, (r) => `_${r.text(HEX, 10)}`),
  lead("pinecone", "PINECONE_API_KEY", ["pc", "sk_"], ALNUM, 69),
  lead("cerebras", "CEREBRAS_API_KEY", ["cs", "k-"], LOWER + DIGITS, 48),
  { ...lead("mistral", "MISTRAL_API_KEY", [], ALNUM, 32), isNamed: true },
  { ...lead("weights and biases", "WANDB_API_KEY", [], HEX, 40), isNamed: true },

  // Chat, mail, payment, monitoring
  kind(
    "slack bot",
    "SLACK_BOT_TOKEN",
    (r) => `xox${"b"}-${r.text(DIGITS, 12)}-${r.text(DIGITS, 13)}-${r.text(ALNUM, 24)}`,
  ),
  kind(
    "slack app",
    "SLACK_APP_TOKEN",
    (r) => `xa${"pp"}-1-A${r.text(UPPER, 10)}-${r.text(DIGITS, 13)}-${r.text(HEX, 64)}`,
  ),
  kind("discord", "DISCORD_TOKEN", (r) => `M${r.text(ALNUM, 25)}.G${r.text(ALNUM, 5)}.${r.text(BASE64URL, 38)}`),
  kind("telegram", "TELEGRAM_BOT_TOKEN", (r) => `${r.text(DIGITS, 10)}:A${"A"}${r.text(BASE64URL, 33)}`),
  lead("twilio", "TWILIO_API_KEY", ["S", "K"], HEX, 32),
  { ...lead("twilio by name", "TWILIO_AUTH_TOKEN", [], HEX, 32), isNamed: true },
  kind("sendgrid", "SENDGRID_API_KEY", (r) => `S${"G"}.${r.text(BASE64URL, 22)}.${r.text(BASE64URL, 43)}`),
  lead("mailgun", "MAILGUN_API_KEY", ["ke", "y-"], HEX, 32),
  kind("mailchimp", "MAILCHIMP_API_KEY", (r) => `${r.text(HEX, 32)}-us${1 + r.int(20)}`, true),
  lead("brevo", "BREVO_API_KEY", ["xkeys", "ib-"], HEX, 64, (r) => `-${r.text(ALNUM, 16)}`),
  lead("stripe", "STRIPE_SECRET_KEY", ["sk", "_live_"], ALNUM, 24),
  lead("stripe webhook", "STRIPE_WEBHOOK_SECRET", ["wh", "sec_"], ALNUM, 32),
  lead("square", "SQUARE_ACCESS_TOKEN", ["sq0", "atp-"], BASE64URL, 22),
  lead("shopify", "SHOPIFY_TOKEN", ["shp", "at_"], HEX, 32),
  lead("linear", "LINEAR_API_KEY", ["lin", "_api_"], ALNUM, 40),
  lead("notion", "NOTION_TOKEN", ["nt", "n_"], ALNUM, 46),
  lead("figma", "FIGMA_TOKEN", ["fi", "gd_"], BASE64URL, 40),
  lead("airtable", "AIRTABLE_PAT", ["pa", "t"], ALNUM, 14, (r) => `.${r.text(HEX, 64)}`),
  lead("postman", "POSTMAN_API_KEY", ["PM", "AK-"], HEX, 24, (r) => `-${r.text(HEX, 34)}`),
  lead("sentry", "SENTRY_AUTH_TOKEN", ["sn", "trys_"], BASE64, 120),
  lead("grafana", "GRAFANA_TOKEN", ["gl", "sa_"], ALNUM, 32, (r) => `_${r.text(HEX, 8)}`),
  lead("grafana cloud", "GRAFANA_CLOUD_TOKEN", ["gl", "c_"], BASE64, 100),
  lead("new relic", "NEW_RELIC_API_KEY", ["NR", "AK-"], UPPER + DIGITS, 27),
  { ...lead("datadog", "DD_API_KEY", [], HEX, 32), isNamed: true },
  lead("posthog", "POSTHOG_KEY", ["ph", "x_"], ALNUM, 43),
  lead("netlify", "NETLIFY_AUTH_TOKEN", ["nf", "p_"], ALNUM, 36),
  lead("mapbox", "MAPBOX_TOKEN", ["sk.", "eyJ1Ijoi"], ALNUM, 60, (r) => `.${r.text(BASE64URL, 22)}`),
  lead("easypost", "EASYPOST_KEY", ["EZ", "AK"], ALNUM, 54),
  lead("contentful", "CONTENTFUL_PAT", ["CF", "PAT-"], BASE64URL, 43),
  lead("typeform", "TYPEFORM_TOKEN", ["tf", "p_"], ALNUM, 40),
  lead("1password", "OP_SERVICE_ACCOUNT_TOKEN", ["op", "s_eyJ"], BASE64URL, 200),
  lead("age", "SOPS_AGE_KEY", ["AGE-SECRET", "-KEY-1"], UPPER + DIGITS, 58),

  // Generic
  kind("jwt", "ACCESS_TOKEN", jwt),
  { ...lead("hex secret", "SESSION_SECRET", [], HEX, 64), isNamed: true },
  { ...lead("signing key", "JWT_SIGNING_KEY", [], BASE64, 44), isNamed: true },
  { ...kind("uuid secret", "CLIENT_SECRET", uuid), isNamed: true },
  kind(
    "password",
    "DB_PASSWORD",
    (r) => `${r.text(LOWER, 4)}${r.text(DIGITS, 2)}-${r.text(UPPER, 2)}${r.text(ALNUM, 5)}9`,
    true,
  ),
  kind(
    "password with signs",
    "ADMIN_PASSWORD",
    (r) => `${r.text(UPPER, 1)}${r.text(LOWER, 5)}!${r.text(DIGITS, 2)}#${r.text(LOWER, 4)}`,
    true,
  ),
  kind("basic auth", "BASIC_AUTH", (r) => base64(`${r.text(LOWER, 5)}:${r.text(ALNUM, 14)}`), true),
];

/** Passwords that are plain words, recognisable only by their position. */
export const WEAK_PASSWORDS = [
  "letmein",
  "sunshine",
  "trustno",
  "correcthorse",
  "dragonfly",
  "opensesame",
  "hunter",
  "swordfish",
];

export function jwt(random: Random): string {
  const claims = { sub: random.text(DIGITS, 10), email: "a@example.com", iat: 1_700_000_000 + random.int(1e6) };
  return `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url(claims)}.${random.text(BASE64URL, 43)}`;
}

function kind(name: string, key: string, make: (random: Random) => string, isNamed?: true): Kind {
  return { name, key, make, ...(isNamed && { isNamed }) };
}

function lead(
  name: string,
  key: string,
  pieces: readonly string[],
  alphabet: string,
  length: number,
  tail: (random: Random) => string = () => "",
): Kind {
  return { name, key, make: (random) => `${pieces.join("")}${random.text(alphabet, length)}${tail(random)}` };
}
