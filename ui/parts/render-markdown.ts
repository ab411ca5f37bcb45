import createPurifier from "dompurify"
import { marked } from "marked"

/** Markdown as HTML of harmless elements alone: no scripts, styles, forms or frames, and nothing that the browser would fetch. */
export function renderMarkdown(text: string): string {
  return purifier.sanitize(marked.parse(text, { async: false, gfm: true }), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: ["href", "title", "start", "align", "target", "rel"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}

const allowedTags = [
  ...["a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "kbd", "li", "ol", "p"],
  ...["pre", "s", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"],
]

const purifier = createPurifier(window)
purifier.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName !== "A" || !element.hasAttribute("href")) return
  element.setAttribute("rel", "noreferrer noopener")
  element.setAttribute("target", "_blank")
})
