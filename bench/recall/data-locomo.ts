import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DataSet, Document, Query, Split, Store } from "./data.ts"

type Turn = { speaker: string; dia_id: string; text: string; blip_caption?: string }

type Sample = {
  sample_id: string
  conversation: Record<string, string | Turn[]>
  qa: { question: string; evidence?: string[]; category: number }[]
}

const splits: Record<string, Split> = {
  "conv-26": "development",
  "conv-30": "test",
  "conv-41": "test",
  "conv-42": "development",
  "conv-43": "test",
}

/**
 * Conversations and the turns that hold the answer to each question; the unit that is found is a turn or a whole session.
 * Questions and evidence are those of the corrected key; its questions without any evidence are left out.
 */
export function loadLocomo(folder: string, unit: "turn" | "session"): DataSet {
  const samples: Sample[] = JSON.parse(readFileSync(join(folder, "locomo", "locomo-dev.dial481.json"), "utf8"))
  const stores = samples.map((sample) => toStore(sample, unit))
  const queries = samples.flatMap((sample, index) =>
    toQueries(sample, unit, new Set(stores[index]?.documents.map(({ id }) => id))),
  )
  return { name: `locomo-${unit}`, stores, queries }
}

function toStore({ sample_id, conversation }: Sample, unit: "turn" | "session"): Store {
  const documents: Document[] = []
  for (
    let session = 1;
    `session_${session}` in conversation || `session_${session}_date_time` in conversation;
    session++
  ) {
    const turns = conversation[`session_${session}`]
    if (!Array.isArray(turns)) continue
    const at = readTime(String(conversation[`session_${session}_date_time`]))
    const origin = `session ${session}`
    if (unit === "session") {
      documents.push({
        id: `D${session}`,
        title: "",
        text: turns.map(said).join("\n"),
        at,
        origin: sample_id,
        position: session,
      })
    } else {
      turns.forEach((turn, position) => {
        documents.push({ id: turn.dia_id, title: "", text: said(turn), at, origin, position })
      })
    }
  }
  return { name: sample_id, documents, split: splits[sample_id] ?? "test" }
}

/** What was said, by whom; a picture that was shared stands there as its caption. */
function said({ speaker, text, blip_caption }: Turn): string {
  return `${speaker}: ${text}${blip_caption === undefined ? "" : ` [shares ${blip_caption}]`}`
}

function toQueries({ sample_id, qa }: Sample, unit: "turn" | "session", known: Set<string>): Query[] {
  const kinds = ["", "several turns", "time", "general knowledge", "one turn", "misleading"]
  const queries = qa.map(({ question, evidence, category }, index): Query => {
    const turns = (evidence ?? []).map((id) => id.replace(/^D:/, "D"))
    const units = unit === "turn" ? turns : turns.map((id) => id.replace(/:.*/, ""))
    const relevant = [...new Set(units)].filter((id) => known.has(id))
    return {
      id: `${sample_id}/${index}`,
      store: sample_id,
      kind: kinds[category] ?? "",
      text: question,
      relevant,
      answerable: true,
    }
  })
  return queries.filter(({ relevant }) => relevant.length > 0)
}

/** Reads "1:56 pm on 8 May, 2023". */
function readTime(text: string): number {
  const [clock = "", date = ""] = text.split(" on ")
  return Date.parse(`${date.replace(",", "")} ${clock} UTC`)
}
