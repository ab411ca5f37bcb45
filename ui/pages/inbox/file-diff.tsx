import type { ProposalDetail } from "../../../src/recall/browse/app-api.ts"

const kinds: Record<string, string> = { "+": "added", "-": "removed", "@": "place" }

/** What accepting would change in the files, line by line. */
export function FileDiff({ diff }: { diff: ProposalDetail["diff"] }) {
  if (diff.length === 0) return null
  return (
    <section className="file-diff" aria-labelledby="file-diff-head">
      <h3 id="file-diff-head">File changes on accept</h3>
      {diff.map(({ path, lines }) => (
        <details key={path} open={lines.length <= 60}>
          <summary>
            <code>{path}</code> <span className="file-diff-count">{countOf(lines)}</span>
          </summary>
          <pre className="file-diff-lines">
            {lines.map((line, at) => (
              <span key={at} className="file-diff-line" data-kind={kinds[line[0] ?? ""]}>
                {line === "" ? " " : line}
              </span>
            ))}
          </pre>
        </details>
      ))}
    </section>
  )
}

function countOf(lines: readonly string[]): string {
  const [added, removed] = ["+", "-"].map((sign) => lines.filter((line) => line.startsWith(sign)).length)
  return `+${added} −${removed}`
}
