import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filterText, filterValue } from "./filter.ts";
import { secretRanges } from "./redact.ts";
import { SECRETS } from "./secrets/secrets.ts";

const MARK = /\n\[… ([\d,]+) characters cut by c-mem …\]\n/;
const SAMPLES = SECRETS.map(({ sample }) => sample);
const GITHUB = SECRETS.find(({ name }) => name === "github")?.sample ?? "";

describe("filterText", () => {
  test("does not change ordinary text", () => {
    const text = "const x = 1; // 🙂 <b>bold</b>\n";
    expect(filterText(text)).toBe(text);
    expect(filterText(text, text.length)).toBe(text);
  });

  test("removes private parts, then secrets", () => {
    expect(filterText(`a <private>b</private>c TOKEN=${GITHUB}`)).toBe("a c TOKEN=[redacted:github]");
    expect(filterText("TOKEN=abc<private>x</private>123def")).toBe("TOKEN=[redacted:credential]");
  });

  test("replaces NUL and unpaired surrogates", () => {
    expect(filterText("a\0b\uD83Dc\uDE00d🙂")).toBe("a\uFFFDb\uFFFDc\uFFFDd🙂");
  });

  test("keeps the head and the tail of a long text, and says how many characters were cut", () => {
    const text = `${"h".repeat(6000)}${"m".repeat(50_000)}${"t".repeat(6000)}`;
    const filtered = filterText(text, 4000);
    const [head = "", cut = "", tail = ""] = filtered.split(MARK);
    expect([head.length, tail.length, filtered.length <= 4000]).toEqual([2952, 984, true]);
    expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
    expect(cut).toBe("58,064");
  });

  test("removes private parts of a list, line by line", () => {
    const lines = ["a", "b <private>", "secret", "</private> c", "d"];
    expect(filterValue({ lines })).toEqual({ lines: ["a", "b ", "", " c", "d"] });
    expect(filterValue(["grep", "<private>x", "file", 1])).toEqual(["grep", "", "file", 1]);
  });

  test("does not count private parts as cut characters", () => {
    const text = `<private>${"x".repeat(500)}</private>${"y".repeat(1000)}`;
    const filtered = filterText(text, 300);
    const [head = "", cut, tail = ""] = filtered.split(MARK);
    expect(Number(cut)).toBe(1000 - head.length - tail.length);
  });

  test("never splits a character", () => {
    for (let limit = 100; limit < 110; limit++) {
      expect(filterText("🙂".repeat(500), limit)).not.toContain("\uFFFD");
      expect(filterText(`x${"🙂".repeat(500)}`, limit)).not.toContain("\uFFFD");
    }
  });

  test("never creates a tag by cutting another one", () => {
    for (let limit = 200; limit < 300; limit++) {
      const once = filterText("<privateKey>".repeat(100), limit);
      expect(filterText(once, limit)).toBe(once);
    }
  });

  test("stays within the limit if redactions are longer than the secrets", () => {
    const text = "pwd=a1b2\n".repeat(2000);
    const filtered = filterText(text, 18_000);
    expect(filtered).toMatch(MARK);
    expect(filtered.length).toBeLessThanOrEqual(18_000);
    expect(filtered).not.toContain("a1b2");
  });

  test("removes a whole private key that is longer than the margin", () => {
    const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(2000);
    const open = `head\n-----BEGIN PRIVATE KEY-----\n${body}`;
    for (const text of [open, `${open}-----END PRIVATE KEY-----\n`, `${open}-----END PRIVATE KEY-----\ntail`]) {
      expect(filterText(text, 1000)).not.toContain("IBADAN");
      expect(filterText(text, 1000)).toMatch(/^head\n\[redacted:private-key\]/);
    }
    expect(filterText(`${open}-----END PRIVATE KEY-----\ntail`, 1000)).toMatch(/tail$/);
  });

  test("removes every part of a secret, at any place and with any cut", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SAMPLES), words(), words(), anyLimit(), (sample, before, after, maxChars) => {
        const filtered = filterText(`${before}\n${sample}\n${after}`, maxChars);
        expect(survivingPart(sample, filtered)).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  test("removes every part of a secret for every place of the cut", () => {
    const filler = "lorem ipsum ".repeat(40);
    for (const sample of SAMPLES) {
      for (let shift = 0; shift < sample.length + 40; shift += 3) {
        const before = filler.slice(0, 330 - shift);
        const tailed = filterText(`${filler}${filler} ${sample} ${filler.slice(0, 120 - Math.min(shift, 100))}`, 500);
        expect(survivingPart(sample, filterText(`${before} ${sample} ${filler}${filler}`, 500))).toBeUndefined();
        expect(survivingPart(sample, tailed)).toBeUndefined();
      }
    }
  });

  test("removes all private content", () => {
    const name = fc.constantFrom("private", "PRIVATE", "c-mem-context", "system-reminder");
    fc.assert(
      fc.property(name, words(), words(), anyLimit(), (tag, before, after, maxChars) => {
        const text = `${before}<${tag} a="b">Rumpelstilzchen ${before}</${tag}>${after}`;
        expect(filterText(text, maxChars)).not.toContain("Rumpelst");
      }),
    );
  });

  test("never throws, stays within its limit, and does not change its own result", () => {
    fc.assert(
      fc.property(soup(), anyLimit(), (text, maxChars) => {
        const filtered = filterText(text, maxChars);
        expect(filtered.isWellFormed() && !filtered.includes("\0")).toBe(true);
        expect(filtered.length).toBeLessThanOrEqual(maxChars + 100);
        expect(filterText(filtered, maxChars)).toBe(filtered);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("filterValue", () => {
  test("filters every string and key of a JSON value", () => {
    const value = {
      command: `export TOKEN=${GITHUB}`,
      nested: [{ [`key ${GITHUB}`]: "a<private>b</private>c" }, 1, true, null],
      long: "x".repeat(500),
    };
    expect(filterValue(value, 100)).toEqual({
      command: "export TOKEN=[redacted:github]",
      nested: [{ "key [redacted:github]": "ac" }, 1, true, null],
      long: `${"x".repeat(27)}\n[… 464 characters cut by c-mem …]\n${"x".repeat(9)}`,
    });
  });

  test("redacts values whose key says that they are secret", () => {
    const value = {
      password: "letmein",
      apiKey: 12_345_678,
      headers: { Authorization: "Bearer x y z", "X-Api-Key": ["abc", "def"] },
      env: [{ name: "DB_PASSWORD", value: "letmein" }],
      auth: { user: "bob", pass: "letmein" },
    };
    expect(filterValue(value)).toEqual({
      password: "[redacted:password]",
      apiKey: "[redacted:api-key]",
      headers: {
        Authorization: "[redacted:authorization]",
        "X-Api-Key": ["[redacted:x-api-key]", "[redacted:x-api-key]"],
      },
      env: [{ name: "DB_PASSWORD", value: "[redacted:db-password]" }],
      auth: { user: "bob", pass: "[redacted:pass]" },
    });
  });

  test("keeps values that only look secret", () => {
    const value = {
      password: "",
      secret: "<your-secret>",
      token: "[redacted:token]",
      api_key: "${API_KEY}",
      max_tokens: 4096,
      pass: 12,
      auth: true,
      token_count: "12",
      name: "value",
      value: "x",
    };
    expect(filterValue(value)).toEqual(value);
  });

  test("treats __proto__ as an ordinary key", () => {
    const filtered = filterValue(JSON.parse('{"__proto__": {"password": "letmein", "x": 1}}'));
    expect(JSON.stringify(filtered)).toBe('{"__proto__":{"password":"[redacted:password]","x":1}}');
    expect(Object.getPrototypeOf(filtered)).toBe(Object.prototype);
  });

  test("cuts values that are too deep or too wide", () => {
    const deep = JSON.parse("[".repeat(100) + "]".repeat(100)) as unknown;
    expect(JSON.stringify(filterValue(deep))).toBe(`${"[".repeat(64)}"[… nested too deep …]"${"]".repeat(64)}`);

    const wide = filterValue(Array.from({ length: 12_345 }, () => 1)) as unknown[];
    expect([wide.length, wide.at(-1)]).toEqual([10_001, "[… 2,345 more cut by c-mem …]"]);
    const keys = filterValue(Object.fromEntries(Array.from({ length: 10_002 }, (_, key) => [`k${key}`, 1])));
    expect(Object.entries(keys as object).slice(9999)).toEqual([
      ["k9999", 1],
      ["…", "[… 2 more cut by c-mem …]"],
    ]);
  });

  test("never throws, and does not change its own result", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyLimit(), (value, maxChars) => {
        const filtered = filterValue(value, maxChars);
        expect(filterValue(filtered, maxChars)).toEqual(filtered);
      }),
    );
  });
});

/** Nine characters in a row of what the sample's redaction replaces, if the text still has them. */
function survivingPart(sample: string, text: string): string | undefined {
  const secrets = secretRanges(sample).map(({ start, end }) =>
    sample.slice(start, end).replaceAll(/-----[A-Z ]+/g, ""),
  );
  const parts = secrets.flatMap((secret) => Array.from(secret, (_, at) => secret.slice(at, at + 9)));
  return parts.find((part) => part.length === 9 && text.includes(part));
}

function anyLimit(): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 0, max: 1200 }), fc.constant(Infinity));
}

function words(): fc.Arbitrary<string> {
  return fc.oneof(fc.lorem({ maxCount: 80 }), fc.string({ unit: "binary", maxLength: 400, size: "max" }), soup([]));
}

function soup(samples = SAMPLES): fc.Arbitrary<string> {
  const tags = ["<private", "<system-reminder>", "</private>", "<privateKey>", "<"];
  const keys = ["password", "token", "=", ": ", '"', "'", "hunter2", "[redacted:", "-----END PRIVATE KEY-----"];
  const other = ["\n", "\\n", " ", "\0", "\uD83D", "🙂", "lorem ipsum "];
  const part = fc.oneof(fc.constantFrom(...tags, ...keys, ...other, ...samples), fc.string({ maxLength: 20 }));
  return fc.array(part, { maxLength: 40, size: "max" }).map((parts) => parts.join(""));
}
