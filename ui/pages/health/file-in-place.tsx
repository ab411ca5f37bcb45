import CircleAlert from "lucide-react/icons/circle-alert"
import Info from "lucide-react/icons/info"
import TriangleAlert from "lucide-react/icons/triangle-alert"
import { useId, useState } from "react"
import { Button } from "../../parts/button.tsx"
import { quantity } from "../../parts/format-number.ts"
import type { FileFindings, LineFindings } from "./group-diagnostics.ts"

const icons = { error: CircleAlert, warning: TriangleAlert, info: Info }
const firstLines = 4

/** A file's lines that something is wrong with, as an editor would show them. */
export function FileInPlace({ file: { path, count, lines } }: { file: FileFindings }) {
  const id = useId()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? lines : lines.slice(0, firstLines)
  return (
    <section className="file-in-place" aria-labelledby={id}>
      <h3 id={id} className="file-in-place-head">
        <code>{path}</code> <span className="file-in-place-count">{quantity(count, "finding")}</span>
      </h3>
      <ol className="quoted-lines">
        {shown.map((each) => (
          <QuotedLine key={each.line} quoted={each} />
        ))}
      </ol>
      {shown.length < lines.length ? (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show {quantity(lines.length - shown.length, "more line")}
        </Button>
      ) : null}
    </section>
  )
}

function QuotedLine({ quoted: { line, text, findings } }: { quoted: LineFindings }) {
  return (
    <li className="quoted">
      <p className="quoted-line">
        <span className="quoted-number">
          <span className="for-readers">Line </span>
          {line}
        </span>
        {text === null ? (
          <span className="quoted-none">This line cannot be shown.</span>
        ) : (
          <code className="quoted-text">{text === "" ? " " : text}</code>
        )}
      </p>
      {findings.map(({ severity, code, message }) => {
        const Icon = icons[severity]
        return (
          <p key={`${code} ${message}`} className="quoted-finding" data-severity={severity}>
            <Icon size={14} aria-label={severity} />
            <span>
              {message} <span className="quoted-code">{code}</span>
            </span>
          </p>
        )
      })}
    </li>
  )
}
