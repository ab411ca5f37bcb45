import type { Reader } from "./reader.ts"
import type { Work } from "./run-reader.ts"

const spanOf = { inputs: 2000, growth: 10 }
/** So many shapes are tried at several sizes for a million inputs. */
const shapesPerMillion = 800

/** Spreads inputs over the readers by their shares, in spans that a worker takes one after the other, long ones first. */
export function planWork(readers: readonly Reader[], inputs: number): Work[] {
  const shares = readers.reduce((sum, { share }) => sum + share, 0)
  const spans = (kind: Work["kind"], reader: string, count: number) =>
    Array.from({ length: Math.ceil(count / spanOf[kind]) }, (_, at): Work => {
      const from = at * spanOf[kind]
      return { reader, kind, from, count: Math.min(spanOf[kind], count - from) }
    })
  const shapes = Math.max(2, Math.round(((inputs / 1e6) * shapesPerMillion) / readers.length))
  return [
    ...readers.flatMap(({ name, largest }) => (largest === 0 ? [] : spans("growth", name, shapes))),
    ...readers.flatMap(({ name, share }) => spans("inputs", name, Math.max(1, Math.round((inputs * share) / shares)))),
  ]
}
