// Selects the text of turns and observations to embed, and cuts it into pieces that fit a small model.

/** About 200 tokens. A small model reads 256. */
const PIECE_CHARS = 800;
/** Of long answers, only the beginning and the end are embedded: the end is usually a summary. */
const FIRST_PIECES = 2;
const LAST_PIECES = 4;
/** Shorter answers ("Done.", "Let me look at it.") are not embedded. */
const MIN_ANSWER_CHARS = 60;
/** A speaker label such as "Ann: " is removed, because it would dominate the vector. */
const LABEL = /^\s*\p{Lu}[\p{L}'-]{0,30}: +/u;

/** Shorter prompts ("yes", "go on", "b") are similar to everything. */
const MIN_PROMPT_WORDS = 3;

/** The prompt is the first piece. A very short prompt only begins the first answer piece, if there is one. */
export function turnPieces(prompt: string, answers: readonly string[]): string[] {
  const question = plain(prompt).slice(0, PIECE_CHARS);
  const long = answers.map(plain).filter((text) => text.length >= MIN_ANSWER_CHARS);
  const isTooShort = question.split(/\s+/).length < MIN_PROMPT_WORDS;
  if (isTooShort && long.length > 0) long.unshift(question);
  const pieces = piecesOf(long.join("\n"));
  const kept =
    pieces.length <= FIRST_PIECES + LAST_PIECES
      ? pieces
      : [...pieces.slice(0, FIRST_PIECES), ...pieces.slice(-LAST_PIECES)];
  return [...(isTooShort ? [] : [question]), ...kept];
}

export function observationPieces(observation: {
  title: string;
  narrative: string;
  facts: readonly string[];
}): string[] {
  const text = plain([observation.title, observation.narrative, ...observation.facts].join("\n"));
  return [text.slice(0, PIECE_CHARS)].filter((piece) => piece !== "");
}

/** Removes Markdown, the speaker label and fenced code. Keyword search finds the code. */
function plain(text: string): string {
  return text
    .replace(LABEL, "")
    .replace(/```[^]*?(?:```|$)/g, " ")
    .replace(/[*_`#>|]+/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .trim();
}

/** Cuts each piece after a line or sentence that ends in the piece's second half, else at PIECE_CHARS. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let rest = text.trim(); rest !== "";) {
    const head = rest.slice(0, PIECE_CHARS);
    const border = Math.max(head.lastIndexOf("\n"), head.lastIndexOf(". ") + 1);
    const end = rest.length <= PIECE_CHARS ? rest.length : border > PIECE_CHARS / 2 ? border : PIECE_CHARS;
    pieces.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  return pieces;
}
