import { describe, expect, it } from "vitest";
import { sseData } from "./sse.ts";

async function read(chunks: readonly string[]): Promise<string[]> {
  const stream = (async function* () {
    for (const chunk of chunks) yield chunk;
  })();
  const found: string[] = [];
  for await (const data of sseData(stream)) found.push(data);
  return found;
}

describe("server-sent events", () => {
  it.each<[string, string[], string[]]>([
    ["one", ["event: x\ndata: 1\n\n"], ["1"]],
    ["several, with comments and ids", [": hi\n\nid: 4\ndata: 1\n\ndata:2\n\n"], ["1", "2"]],
    ["an event with two data lines", ["data: a\ndata: b\n\n"], ["a\nb"]],
    ["CRLF line breaks", ["data: 1\r\n\r\ndata: 2\r\n\r\n"], ["1", "2"]],
    ["one character at a time", [..."data: one\n\ndata: two\n\n"], ["one", "two"]],
    ["a last event without an empty line", ["data: 1\n\ndata: [DONE]"], ["1", "[DONE]"]],
    ["nothing", [""], []],
  ])("are read: %s", async (_, chunks, expected) => {
    expect(await read(chunks)).toEqual(expected);
  });

  it("are read quickly if a long line arrives in small pieces", async () => {
    const start = process.cpuUsage();
    const [data] = await read(["data: ", ...Array.from({ length: 200_000 }, () => "0123456789"), "\n\n"]);
    expect(data).toHaveLength(2_000_000);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(4_000);
  });
});
