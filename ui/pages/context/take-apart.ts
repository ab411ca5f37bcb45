import type { ContextAnswer } from "../../../src/recall/browse/app-api.ts"

export type ShownItem = ContextAnswer["included"][number] & Pick<Explained, "title" | "lane">
export type Explained = ContextAnswer["explanation"][number]

/** A stretch of the text: what surrounds the items, or one item's own lines; `gap` is what is before it. */
export type Piece = { gap: string; text: string } & (
  | { kind: "frame" }
  | { kind: "item"; item: ShownItem; why: Explained }
)

/**
 * The text in pieces that joined, with their gaps, give it back. No item has an empty line in it, since every line of what was stored is
 * quoted. Items that are shown as one line follow each other without an empty line, and items are listed in the order of the text.
 */
export function takeApart({ text, included, explanation }: ContextAnswer): Piece[] {
  if (text === "") return []
  const parts = text.split("\n\n")
  const explained = new Map(explanation.map((each) => [each.id, each]))
  let next = 0
  return parts.flatMap((part, at): Piece[] => {
    const gap = at === 0 ? "" : "\n\n"
    const isFrame = at === 0 || at === parts.length - 1 || part.startsWith("## ")
    if (isFrame) return [{ kind: "frame", gap, text: part }]
    const texts = part.startsWith("> ") ? part.split("\n") : [part]
    return texts.map((each, line): Piece => {
      const item = included[next++]
      const why = item && explained.get(item.id)
      const place = { gap: line === 0 ? gap : "\n", text: each }
      if (!item || !why) return { kind: "frame", ...place }
      return { kind: "item", ...place, item: { ...item, title: why.title, lane: why.lane }, why }
    })
  })
}
