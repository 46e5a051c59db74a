// Finds encoded credentials: base64, percent-encoded URLs, HTML entities.
import { alnum, lazy, type Secret } from "./secret.ts";
import { isMixed, isPlaceholder, STRONG_KEY, WORDS } from "./placeholders.ts";

const LEADS = ["sk_live_", "sk_test_", "rk_live_"];
const SCHEMES = ["postgres://", "postgresql://", "mysql://", "mongodb://", "mongodb+srv://", "redis://", "amqp://"];

/** The base64 prefix of all texts that start with `text`, without the letter that depends on the next character. */
function encodedLead(text: string): string {
  return btoa(text).slice(0, Math.floor((text.length * 8) / 6));
}

/** Only this many characters of a value are decoded. */
const DECODED_CHARS = 400;

/** Rows for encoded secrets. For base64, one of `rows` must match the decoded text. */
export function encodedSecrets(rows: readonly Secret[]): readonly Secret[] {
  const leads = rows.flatMap(({ hints }) => hints ?? []).filter((hint) => hint.length > 2);
  return [
    {
      name: "base64-secret",
      hints: [...new Set([...SCHEMES, ...LEADS, ...leads].map(encodedLead))],
      pattern: () => /(?:(?<![\w+/-])|(?<=\\[nrt]))[A-Za-z0-9+/]{24,}={0,2}(?![\w+/])/g,
      sample: `data:\n  app: ${btoa(`ghp_${alnum(36)}`)}`,
      accept: (_, value) => containsSecret(decoded(value), rows),
    },
    {
      name: "credential",
      hints: ["%3D", "%3d"],
      pattern: lazy(
        String.raw`([\w.-]{0,40}(?:${WORDS}))%(?:25)?3D((?:[\w.~+/=!*-]|%(?!26|20|22|0[ad]|2526)[0-9a-f]{2}){3,600})`,
        "gi",
      ),
      sample: "?next=%2Fcb%3Fapi_key%3Ds3cr3t-Passw0rd%26x%3D1",
      accept: ([, key = ""], value) =>
        !isPlaceholder(value) && (isMixed(value) ? value.length >= 8 : STRONG_KEY.test(key)),
    },
    {
      name: "url-password",
      hints: ["%3A%2F%2F", "%3a%2f%2f"],
      pattern: () => /%3A%2F%2F[^\s%&"'<>]{0,100}%3A((?:[^\s%&"'<>]|%(?!40|2F)[0-9A-F]{2}){1,200})(?=%40)/gi,
      sample: "?dsn=postgres%3A%2F%2Fapp%3As3cr3t-Passw0rd%40db%2Fapp",
    },
    {
      name: "credential",
      hints: ["&quot;", "&#34;"],
      pattern: lazy(
        String.raw`([\w.-]{0,40}(?:${WORDS}))&(?:quot|#34);\s{0,4}[:=]\s{0,4}&(?:quot|#34);([^\s&<>"']{3,600})(?=&)`,
        "gi",
      ),
      sample: "{&quot;password&quot;:&quot;s3cr3t-Passw0rd&quot;}",
      accept: ([, key = ""], value) =>
        !isPlaceholder(value) && (isMixed(value) ? value.length >= 8 : STRONG_KEY.test(key)),
    },
  ];
}

function decoded(value: string): string {
  const head = value.replace(/=+$/, "").slice(0, DECODED_CHARS);
  const text = atob(head.length % 4 === 1 ? head.slice(0, -1) : head);
  return /^[\t\r\n\x20-\x7e]*$/.test(text) ? text : "";
}

function containsSecret(text: string, rows: readonly Secret[]): boolean {
  return rows.some(({ hints, pattern: patternOf, accept }) => {
    if (!hints?.some((hint) => text.includes(hint))) return false;
    const pattern = patternOf();
    pattern.lastIndex = 0;
    const match = pattern.exec(text);
    return match !== null && (accept?.(match, match.at(-1) ?? match[0]) ?? true);
  });
}
