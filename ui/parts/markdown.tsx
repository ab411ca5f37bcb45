import { useMemo } from "react"
import { renderMarkdown } from "./render-markdown.ts"

/** Untrusted Markdown, by users or agents; nothing in it runs or is fetched. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => renderMarkdown(text), [text])
  // renderMarkdown lets only harmless elements through
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}
