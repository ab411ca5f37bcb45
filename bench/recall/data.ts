export type Split = "development" | "test"

/** One thing that can be found. Origin and position say which neighbours it has, as a file and the place in it. */
export type Document = {
  id: string
  title: string
  text: string
  at?: number
  agent?: string
  origin: string
  position: number
  /** Ids of documents this one says it replaces; only in stores that are given with links. */
  supersedes?: string[]
}

/** Documents that are searched together; `at`, and `position` within an origin, give the order of their writing. */
export type Store = { name: string; documents: Document[]; split: Split }

export type Query = {
  id: string
  store: string
  kind: string
  text: string
  relevant: string[]
  /** Outdated documents on the same matter; none may stand above a relevant one. */
  stale?: string[]
  answerable: boolean
}

export type DataSet = { name: string; stores: Store[]; queries: Query[] }

/** What a document is indexed as by an engine that knows one field only. */
export function wholeText(document: Document): string {
  return [document.title, document.text].filter((part) => part !== "").join("\n\n")
}
