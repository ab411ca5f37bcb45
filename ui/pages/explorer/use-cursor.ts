import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { useKeys } from "../../parts/use-keys.ts"
import type { Results } from "./use-results.ts"

type Properties = {
  results: Results
  selected: string | null
  followsCursor: boolean
  onSelect: (id: string) => void
  onOpen: (id: string) => void
  scrollTo: (index: number) => void
}

const pageStep = 8

/** Which row the keys are on, and what they do: arrows or j and k move, Home and End too, Enter opens. */
export function useCursor({ results, selected, followsCursor, onSelect, onOpen, scrollTo }: Properties) {
  const [cursor, setCursor] = useState(0)
  const [hasMoved, setMoved] = useState(false) // the first step is onto the first row
  const [awaited, setAwaited] = useState<number | null>(null) // a row that was gone to before it was fetched
  const { query, total, rowAt, indexOf } = results
  useReset(query, () => {
    setCursor(0)
    setMoved(false)
    setAwaited(null)
  })
  const ofSelected = indexOf(selected) // rows that come in above move it along
  const place = awaited ?? (ofSelected >= 0 ? ofSelected : Math.min(cursor, Math.max(0, total - 1)))
  const arrived = awaited === null ? undefined : rowAt(awaited)
  useEffect(() => {
    if (!arrived) return
    setAwaited(null)
    if (followsCursor) onSelect(arrived.id)
  }, [arrived, followsCursor, onSelect])

  const scrolledTo = useRef<string | null>(null)
  useEffect(() => {
    if (ofSelected < 0 || scrolledTo.current === selected) return
    scrolledTo.current = selected
    scrollTo(ofSelected)
  })

  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index))
    if (total === 0) return
    setCursor(next)
    scrollTo(next)
    const row = rowAt(next)
    setAwaited(row ? null : next)
    if (followsCursor && row) onSelect(row.id)
  }
  const move = (step: number) => {
    moveTo(hasMoved || ofSelected >= 0 ? place + step : place)
    setMoved(true)
  }
  const open = () => {
    const row = rowAt(place)
    if (row) onOpen(row.id)
  }
  const actions: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(pageStep),
    PageUp: () => move(-pageStep),
    Home: () => moveTo(0),
    End: () => moveTo(total - 1),
    Enter: open,
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }
  useKeys({ j: () => move(1), k: () => move(-1) })
  return { cursor: place, setCursor, onKeyDown }
}

/** Another query begins at its first row. */
function useReset(query: string, reset: () => void): void {
  const [known, setKnown] = useState(query)
  if (known !== query) {
    setKnown(query)
    reset()
  }
}
