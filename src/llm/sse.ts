// Reads server-sent events and yields the data of each event.

export async function* sseData(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += chunk;
    // A long line may arrive in thousands of chunks. Split only when a line ends.
    if (!chunk.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const raw of lines) {
      const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
      if (line === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      } else if (line.startsWith("data:")) {
        data.push(line.slice(line[5] === " " ? 6 : 5));
      }
    }
  }
  // Some servers omit the empty line at the end.
  if (rest.startsWith("data:")) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join("\n");
}
