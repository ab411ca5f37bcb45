import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DataSet, Document, Query, Split, Store } from "./data.ts"

/** The repositories of each half; chosen so that both have hand-written queries, commits and about as many records. */
const splits: Record<string, Record<Split, string[]>> = {
  squad: {
    development: [
      "csharpfritz+SquadUI",
      "lucabol+python-tournament-allocator",
      "jguadagno+jjgnet-broadcast",
      "FritzAndFriends+BlazorWebFormsComponents",
      "cirvine-MSFT+editless",
      "DrDonoso+Finlytics",
    ],
    test: [
      "mlinnen+mr-pumpkin",
      "csharpfritz+WorkshopManager",
      "akubly+stunning-adventure",
      "bradygaster+Squad-IRL",
      "davidortinau+SentenceStudio",
    ],
  },
  adr: {
    development: [
      "JabRef+jabref",
      "shopware+shopware",
      "ElektraInitiative+libelektra",
      "Skyscanner+backpack",
      "kgrzybek+modular-monolith-with-ddd",
    ],
    test: ["alphagov+govuk-aws", "alphagov+gsp", "decentraland+adr", "guardian+dotcom-rendering", "palantir+atlasdb"],
  },
}

/** What a query was made from is not indexed: a title is searched in bodies, a reason in records without reasons. */
const variants = {
  whole: "whole",
  "title→body": "untitled",
  "why→what": "without why",
  "context→decision": "without context",
}

type Variant = keyof typeof variants

/** A record of a decision log (`why`, `nowhy`) or an architecture decision record (`context`). */
type StoredRecord = { id: string; title: string; date: string | null; body: string; nowhy?: string; context?: string }

type StoredQuery = { id: string; repo: string; kind: string; text: string; rel: string[]; stale?: string[] }

/** The decision records of `squad` or `adr`: a store for each repository and each way of indexing that its queries ask for. */
export function loadRecords(folder: string, name: "squad" | "adr"): DataSet {
  const stored = ["queries.jsonl", "hand.jsonl"].flatMap((file) => readLines<StoredQuery>(join(folder, name, file)))
  const queries = stored.map(toQuery)
  const asked = new Set(queries.map(({ store }) => store))
  const stores: Store[] = []
  for (const split of ["development", "test"] as const) {
    for (const repository of splits[name]?.[split] ?? []) {
      const records = readLines<StoredRecord>(join(folder, name, `${repository}.jsonl`))
      for (const variant of Object.keys(variants) as Variant[]) {
        const store = storeName(repository, variant)
        if (asked.has(store))
          stores.push({
            name: store,
            split,
            documents: records.map((record, position) => toDocument(record, position, variant)),
          })
      }
    }
  }
  return { name, stores, queries }
}

/** The store of a repository in which whole records are indexed. */
export function storeName(repository: string, variant: Variant = "whole"): string {
  return variant === "whole" ? repository : `${repository}, ${variants[variant]}`
}

function toQuery({ id, repo, kind, text, rel, stale }: StoredQuery): Query {
  const variant = kind in variants ? (kind as Variant) : "whole"
  const query: Query = { id, store: storeName(repo, variant), kind, text, relevant: rel, answerable: true }
  if (stale && stale.length > 0) query.stale = stale
  return query
}

function toDocument(record: StoredRecord, position: number, variant: Variant): Document {
  const [origin = ""] = record.id.split("#")
  const document: Document = { id: record.id, title: record.title, text: record.body, origin, position }
  const at = Date.parse(record.date ?? "")
  if (!Number.isNaN(at)) document.at = at
  if (variant === "title→body") document.title = ""
  if (variant === "why→what") document.text = record.nowhy ?? record.body
  if (variant === "context→decision") document.text = withoutContext(record)
  return document
}

/** A context may be put together from several sections, so each of its paragraphs is taken out by itself. */
function withoutContext({ body, context }: StoredRecord): string {
  const paragraphs = (context ?? "").split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "")
  return paragraphs.reduce((text, paragraph) => text.replace(paragraph, () => ""), body)
}

export function readLines<Row>(path: string): Row[] {
  const lines = readFileSync(path, "utf8").split("\n")
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line))
}
