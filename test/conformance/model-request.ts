// Reads a request to a model as the model does: its turns with their pieces and ids, and what is known before. For
// scripted models, which compute their replies from the request.

export interface Piece {
  /** "p12", "m34", "t56" or "o78". */
  id: string;
  /** What follows the id in the piece's head, e.g. "the user asked". */
  head: string;
  text: string;
  turn: number;
}

export interface KnownItem {
  /** "o12", or "n1" for an open end. */
  id: string;
  /** "decision (the user)", "open". */
  kind: string;
  text: string;
}

export interface ModelRequest {
  purpose: "turns" | "session" | "other";
  text: string;
  /** The numbers of the turns, in the order of the request. */
  turns: number[];
  pieces: Piece[];
  known: KnownItem[];
}

const HEAD = /^=== (?:turn (\d+)\b.*|([pmto]\d+) (.*)|[^=].*) ===$/;
const KNOWN = /^([on]\d+) ([^:]+): (.*)$/;

/** Reads the body of a chat completion. */
export function readChatRequest(body: Record<string, unknown>): ModelRequest {
  const { messages, response_format: format } = body as {
    messages: { role: string; content: string }[];
    response_format?: { json_schema?: { name?: string } };
  };
  const contents = (role: string): string =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join("\n");
  return readModelRequest(contents("user"), `${format?.json_schema?.name ?? ""}\n${contents("system")}`);
}

/** `system`: the schema's name or the system prompt with the schema. */
function readModelRequest(text: string, system: string): ModelRequest {
  const request: ModelRequest = { purpose: purposeOf(system), text, turns: [], pieces: [], known: [] };
  let piece: Piece | undefined;
  let turn = 0;
  for (const line of text.split("\n")) {
    const head = HEAD.exec(line);
    if (head === null) {
      const known = KNOWN.exec(line);
      if (piece !== undefined) piece.text += `${piece.text === "" ? "" : "\n"}${line}`;
      else if (known !== null && turn === 0) {
        request.known.push({ id: known[1] ?? "", kind: known[2] ?? "", text: known[3] ?? "" });
      }
      continue;
    }
    piece = undefined;
    if (head[1] !== undefined) {
      turn = Number(head[1]);
      request.turns.push(turn);
    } else if (head[2] !== undefined) {
      piece = { id: head[2], head: head[3] ?? "", text: "", turn };
      request.pieces.push(piece);
    }
  }
  for (const each of request.pieces) each.text = each.text.trim();
  return request;
}

/** The schema is part of the system prompt if the server knows no schemas. */
function purposeOf(system: string): ModelRequest["purpose"] {
  if (/\brecord_turns\b|"observations"/.test(system)) return "turns";
  return /\brecord_session\b|"handover"/.test(system) ? "session" : "other";
}

export function promptOf({ pieces }: ModelRequest, turn: number): Piece | undefined {
  return pieces.find((piece) => piece.turn === turn && piece.head === "the user asked");
}

/** Pieces that the user or the agent wrote; not tool output, not notes. */
export function saidIn({ pieces }: ModelRequest, turn?: number): Piece[] {
  return pieces.filter((piece) => /^[pm]/.test(piece.id) && (turn === undefined || piece.turn === turn));
}
