const mostLines = 8

/** What a command or a tool printed; of a long one the first line, and the rest on demand. */
export function Output({ text, isError = false }: { text: string; isError?: boolean }) {
  const lines = text.trimEnd().split("\n")
  const look = isError ? "attempt-output attempt-error" : "attempt-output"
  if (lines.length <= mostLines) return <pre className={look}>{text.trimEnd()}</pre>
  return (
    <details className={look}>
      <summary>
        <code>{lines[0]}</code> <span className="attempt-part-name">and {lines.length - 1} more lines</span>
      </summary>
      <pre className="attempt-output-rest">{lines.slice(1).join("\n")}</pre>
    </details>
  )
}
