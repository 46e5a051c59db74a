// Lays out sections of lines as one block that never exceeds its budget: what comes first matters most.

export interface Section {
  heading: string;
  lines: string[];
}

export interface BlockFrame {
  open: string;
  close: string;
}

/** `maxChars` counts UTF-16 units, as the client does. A section with no line that fits is left out. */
export function layOut(frame: BlockFrame, sections: readonly Section[], maxChars: number): string {
  const parts: string[] = [frame.open];
  let used = frame.open.length + frame.close.length + 1;
  for (const { heading, lines } of sections) {
    let room = maxChars - used - heading.length - 2;
    const fitting: string[] = [];
    for (const line of lines) {
      if (line.length + 1 > room) break;
      fitting.push(line);
      room -= line.length + 1;
    }
    if (fitting.length === 0) continue;
    const text = ["", heading, ...fitting].join("\n");
    parts.push(text);
    used += text.length + 1;
  }
  if (parts.length === 1) return "";
  return [...parts, frame.close].join("\n");
}
