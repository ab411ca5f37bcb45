import createPurifier from "dompurify"
import { Marked } from "marked"

/** Markdown as HTML of harmless elements alone: no scripts, styles, forms or frames, and nothing that the browser would fetch. */
export function renderMarkdown(text: string): string {
  return purifier.sanitize(markdown.parse(text, { async: false }), {
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

/** Who writes "Use <Dialog> here" means the words: only tags that Markdown has no sign for are more than text. */
const markdown = new Marked({ gfm: true, renderer: { html: ({ text }) => text.replace(otherTags, "&lt;") } })
const otherTags = /<(?!\/?(?:br|kbd|sub|sup)\s*\/?>)/gi

const purifier = createPurifier(window)
purifier.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName !== "A" || !element.hasAttribute("href")) return
  element.setAttribute("rel", "noreferrer noopener")
  element.setAttribute("target", "_blank")
})
