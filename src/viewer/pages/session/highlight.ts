// Marks what is looked for in the rows that exist, without touching them.

const MAX_MARKS = 2_000;

export function highlight(words: string): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("found");
  const box = document.querySelector(".virtual");
  const wanted = words.toLowerCase();
  if (box === null || wanted.length < 2) return;
  const marks: Range[] = [];
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && marks.length < MAX_MARKS; node = texts.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      // Lower case may be longer than what was written.
      if (at + wanted.length > (node.nodeValue ?? "").length) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      marks.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...marks));
}
