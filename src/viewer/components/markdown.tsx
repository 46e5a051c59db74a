// Renders recorded text as Markdown. The text cannot run scripts, load anything or imitate a part of the page.
import DOMPurify from "dompurify";
import { marked } from "marked";
import { useMemo } from "preact/hooks";

/** Longer texts are shown unformatted: parsing them would block the page. */
const MAX_CHARS = 200_000;

const TAGS =
  "p br hr strong em del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td a input".split(" ");

export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => (text.length > MAX_CHARS ? undefined : toSafeHtml(text)), [text]);
  if (html === undefined) return <pre class="prose as-typed">{text}</pre>;
  return <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}

// HTML in recorded text is shown as text. The HTML that the Markdown parser generates is sanitised as well.
const escape = (raw: string): string => raw.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

marked.use({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escape(text),
    // Shows an image's address: the browser would load the image from another server.
    image: ({ href, text }) => `<code>${escape(`![${text}](${href})`)}</code>`,
  },
});

function toSafeHtml(text: string): string {
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
    // Links in recorded text open in a new tab that has no access to the viewer's window.
    if (node.hasAttribute("href")) {
      node.setAttribute("target", "_blank");
      node.setAttribute("rel", "noopener noreferrer nofollow");
    }
  } else if (node.tagName === "INPUT") {
    if (node.getAttribute("type") === "checkbox") node.setAttribute("disabled", "");
    else node.remove();
  } else if (node.tagName === "PRE" || node.tagName === "TABLE") node.setAttribute("tabindex", "0");
});
