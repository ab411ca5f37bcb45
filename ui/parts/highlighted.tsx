import type { ReactNode } from "react"

/** A text with marks from each `start` up to its `end`. */
export function Highlighted({ text, ranges }: { text: string; ranges: [start: number, end: number][] }) {
  const pieces: ReactNode[] = []
  let at = 0
  for (const [start, end] of ranges) {
    pieces.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  return (
    <>
      {pieces}
      {text.slice(at)}
    </>
  )
}
