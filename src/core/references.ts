// Finds pull requests and issues in text: "PR #12", "issue 7", or their URLs on GitHub and GitLab.

export interface Reference {
  kind: "pr" | "issue";
  number: number;
}

const URL =
  /https?:\/\/[\w.-]{1,100}\/(?:[\w.~-]{1,100}\/){2,8}?(?:-\/)?(pull|pulls|merge_requests|issues)\/(\d{1,7})(?!\w)(?:[/#?][^\s)>\]"'`]*)?/g;
const WORDS = /\b(pr|pull request|issue|merge request|mr)s?[\s:]{0,2}#?(\d{1,7})\b/gi;

export function asReference(url: string): Reference | undefined {
  const [match] = url.matchAll(URL);
  return match && { kind: kindOf(match[1] ?? ""), number: Number(match[2]) };
}

export function referencesIn(text: string): Reference[] {
  return [...referencesAsWords(text).matchAll(WORDS)].map(([, word = "", number]) => ({
    kind: kindOf(word),
    number: Number(number),
  }));
}

/** "see https://github.com/o/r/pull/12#issuecomment-3" -> "see PR #12" */
export function referencesAsWords(text: string): string {
  if (!text.includes("://")) return text;
  return text.replace(URL, (_, path: string, number: string) => `${kindOf(path) === "pr" ? "PR" : "issue"} #${number}`);
}

function kindOf(word: string): Reference["kind"] {
  return /^issue/i.test(word) ? "issue" : "pr";
}
