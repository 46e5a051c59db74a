// What people and models wrote, as Markdown. Nothing in it can run, load or look like a part of the page.
import DOMPurify from "dompurify";
import { marked } from "marked";
import { useMemo } from "preact/hooks";

/** Longer texts are shown as they were written: nobody reads them formatted, and parsing would hold up the page. */
const MAX_CHARS = 200_000;

const TAGS =
  "p br hr strong em del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td a input".split(" ");

export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => (text.length > MAX_CHARS ? undefined : toSafeHtml(text)), [text]);
  if (html === undefined) return <pre class="prose plain">{text}</pre>;
  return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}

// HTML in a recorded text is text: it is shown, never built. What Markdown itself makes goes through the purifier nevertheless.
const escaped = (raw: string): string => raw.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

marked.use({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escaped(text),
    // An image would be loaded from elsewhere: its address is shown instead.
    image: ({ href, text }) => `<code>${escaped(`![${text}](${href})`)}</code>`,
  },
});

export function toSafeHtml(text: string): string {
  const html = marked.parse(text, { async: false });
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "start", "align", "type", "checked", "disabled", "rel", "target"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    // Recorded links lead elsewhere, never to a page of ours or one that can reach back.
    if (node.hasAttribute("href")) {
      node.setAttribute("target", "_blank");
      node.setAttribute("rel", "noopener noreferrer nofollow");
    }
  } else if (node.tagName === "INPUT") {
    if (node.getAttribute("type") === "checkbox") node.setAttribute("disabled", "");
    else node.remove();
  } else if (node.tagName === "PRE" || node.tagName === "TABLE") node.setAttribute("tabindex", "0");
});
