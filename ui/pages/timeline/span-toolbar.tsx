import ArrowLeft from "lucide-react/icons/arrow-left"
import ArrowRight from "lucide-react/icons/arrow-right"
import ZoomIn from "lucide-react/icons/zoom-in"
import ZoomOut from "lucide-react/icons/zoom-out"
import { Button } from "../../parts/button.tsx"
import { IconButton } from "../../parts/icon-button.tsx"
import { Kbd } from "../../parts/kbd.tsx"
import { day, type Span } from "../../parts/span/span.ts"
import { useKeys } from "../../parts/use-keys.ts"
import { type Shown, shiftSpan, zoomSpan } from "./move-span.ts"

type Properties = {
  shown: Shown
  all: Shown
  span: Span | null
  onSpan: (span: Span | null) => void
}

/** Everything that dragging does, and more, with buttons, keys and dates. */
export function SpanToolbar({ shown, all, span, onSpan }: Properties) {
  const actions = {
    zoomIn: () => onSpan(zoomSpan(shown, all, 0.5)),
    zoomOut: () => onSpan(zoomSpan(shown, all, 2)),
    earlier: () => span && onSpan(shiftSpan(shown, all, -0.5)),
    later: () => span && onSpan(shiftSpan(shown, all, 0.5)),
    showAll: () => onSpan(null),
  }
  useKeys({
    "+": actions.zoomIn,
    "=": actions.zoomIn,
    "-": actions.zoomOut,
    ArrowLeft: actions.earlier,
    ArrowRight: actions.later,
    "0": actions.showAll,
    Escape: span ? actions.showAll : undefined,
  })
  return (
    <div className="span-toolbar">
      <div className="span-buttons" role="toolbar" aria-label="Zoom">
        <IconButton look="plain" name="Zoom in (+)" icon={<ZoomIn size={16} aria-hidden />} onClick={actions.zoomIn} />
        <IconButton
          look="plain"
          name="Zoom out (−)"
          icon={<ZoomOut size={16} aria-hidden />}
          aria-disabled={span === null}
          onClick={actions.zoomOut}
        />
        <IconButton
          look="plain"
          name="Earlier (←)"
          icon={<ArrowLeft size={16} aria-hidden />}
          aria-disabled={span === null}
          onClick={actions.earlier}
        />
        <IconButton
          look="plain"
          name="Later (→)"
          icon={<ArrowRight size={16} aria-hidden />}
          aria-disabled={span === null}
          onClick={actions.later}
        />
        <Button aria-disabled={span === null} onClick={actions.showAll}>
          All time
        </Button>
      </div>
      <DateField name="From" moment={span?.from ?? null} onChange={(from) => onSpan(beginAt(span, from))} />
      <DateField
        name="Through"
        moment={span?.to == null ? null : span.to - 1}
        onChange={(last) => onSpan(endAt(span, last === null ? null : last + day))}
      />
      <p className="span-hint">
        Drag over a chart to choose a span, or press <Kbd keys="+" /> <Kbd keys="−" /> <Kbd keys="←" /> <Kbd keys="→" />{" "}
        <Kbd keys="0" />.
      </p>
    </div>
  )
}

type DateProperties = { name: string; moment: number | null; onChange: (moment: number | null) => void }

function DateField({ name, moment, onChange }: DateProperties) {
  return (
    <label className="date-field">
      <span className="field-label">{name}</span>
      <input
        type="date"
        className="input"
        value={moment === null ? "" : new Date(moment).toISOString().slice(0, 10)}
        onChange={({ target }) => onChange(target.value === "" ? null : Date.parse(target.value))}
      />
    </label>
  )
}

/** The other end opens when it would lie on the wrong side. */
function beginAt(span: Span | null, from: number | null): Span | null {
  const to = span?.to ?? null
  return orNone({ from, to: from !== null && to !== null && to <= from ? null : to })
}

function endAt(span: Span | null, to: number | null): Span | null {
  const from = span?.from ?? null
  return orNone({ from: from !== null && to !== null && to <= from ? null : from, to })
}

function orNone(span: Span): Span | null {
  return span.from === null && span.to === null ? null : span
}
