import type { ContextAnswer } from "../../../src/web/api.ts"

export type ShownItem = ContextAnswer["included"][number] & Pick<Explained, "title" | "lane">
export type Explained = ContextAnswer["explanation"][number]

/** A stretch of the text: what surrounds the items, or one item's own lines. */
export type Piece = { kind: "frame"; text: string } | { kind: "item"; text: string; item: ShownItem; why: Explained }

/**
 * The text in pieces that joined with an empty line give it back. No item has an empty line in it, since every line of what was stored is
 * quoted; items stand in the order in which they are listed.
 */
export function takeApart({ text, included, explanation }: ContextAnswer): Piece[] {
  if (text === "") return []
  const parts = text.split("\n\n")
  const isFrame = (part: string, at: number) =>
    at === 0 || at === parts.length - 1 || part.startsWith("## ") || part.startsWith("Also about this")
  const explained = new Map(explanation.map((each) => [each.id, each]))
  let next = 0
  return parts.map((part, at): Piece => {
    const item = isFrame(part, at) ? undefined : included[next]
    const why = item && explained.get(item.id)
    if (!item || !why) return { kind: "frame", text: part }
    next++
    return { kind: "item", text: part, item: { ...item, title: why.title, lane: why.lane }, why }
  })
}
