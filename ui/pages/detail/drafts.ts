import { useCallback, useState } from "react"
import type { Detail } from "../../../src/recall/browse/app-api.ts"

/** What a draft is for: an item, or a proposal in the inbox. */
export type Editable = Pick<Detail, "version" | "row" | "markdown">

/** Unsaved changes of an item. */
export type ItemDraft = {
  change: "edit" | "supersede"
  /** Of the item that it was begun from. */
  version: string
  title: string
  markdown: string
  tags: string
  reason: string
}

export function beginDraft(change: ItemDraft["change"], { version, row, markdown }: Editable): ItemDraft {
  return { change, version, title: row.title, markdown, tags: row.tags.join(", "), reason: "" }
}

/** The draft of an item. It outlives the page, so that looking at something else or a reload loses nothing. */
export function useItemDraft(id: string): [ItemDraft | null, (draft: ItemDraft | null) => void] {
  const key = `drey-draft:${id}`
  const [draft, setDraft] = useState(() => read(key))
  const change = useCallback(
    (next: ItemDraft | null) => {
      if (next) sessionStorage.setItem(key, JSON.stringify(next))
      else sessionStorage.removeItem(key)
      setDraft(next)
    },
    [key],
  )
  return [draft, change]
}

function read(key: string): ItemDraft | null {
  const text = sessionStorage.getItem(key)
  return text === null ? null : (JSON.parse(text) as ItemDraft)
}
