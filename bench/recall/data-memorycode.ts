import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { DataSet, Document, Query } from "./data.ts"
import { shuffle } from "./seeded-random.ts"

type Dialogue = { sessions: { type: string[]; topic: string[] }[] }

type Topics = Record<"instructions" | "fillers_instruction", { id: number; text: string[] }[]>

/** All wordings of one rule: `start function names with 'a_'`, `… with 'b_'`. */
type Rule = { id: number; kind: "coding rule" | "practice"; versions: string[] }

/**
 * Mentor dialogues in which rules are given and later changed. A store is one dialogue; its documents are everything the
 * mentor brought up, one document for each time, in the order of the sessions (a day apart): coding rules, practices such as
 * the editor to use, and small talk as distractors. For each rule given at least twice there is one query: the words that all
 * wordings of the rule share (`always start function names with`). Relevant is the newest, stale is every earlier one.
 * With links, each document names its predecessor as superseded; without, only time and likeness tell. The documents stand
 * in a seeded random order, so that an engine that breaks ties by its order of insertion is neither helped nor hurt.
 */
export function loadMemorycode(folder: string, links: boolean): DataSet {
  const rules = readRules(folder)
  const files = readdirSync(join(folder, "memorycode", "dataset"))
  const numbers = files.map((file) => Number(/\d+/.exec(file)?.[0])).sort((a, b) => a - b)
  const set: DataSet = { name: links ? "memorycode-linked" : "memorycode", stores: [], queries: [] }
  numbers.forEach((number, index) => {
    const path = join(folder, "memorycode", "dataset", `dialogue_${number}.json`)
    const name = `dialogue ${number}`
    const { documents, given } = readDialogue(JSON.parse(readFileSync(path, "utf8")), rules, links)
    const queries = [...given].flatMap(([rule, ids]) => toQuery(name, rule, ids))
    if (queries.length === 0) return
    set.stores.push({ name, documents: shuffle(documents, number), split: index % 2 === 0 ? "development" : "test" })
    set.queries.push(...queries)
  })
  return set
}

function readRules(folder: string): Map<string, Rule> {
  const topics: Topics = JSON.parse(readFileSync(join(folder, "memorycode", "topics.json"), "utf8"))
  const toRules = (kind: Rule["kind"]) => (topic: { id: number; text: string[] }) => ({
    id: topic.id,
    kind,
    versions: topic.text,
  })
  const rules = [
    ...topics.instructions.map(toRules("coding rule")),
    ...topics.fillers_instruction.map(toRules("practice")),
  ]
  return new Map(rules.flatMap((rule) => rule.versions.map((version) => [version, rule])))
}

function readDialogue({ sessions }: Dialogue, rules: Map<string, Rule>, links: boolean) {
  const documents: Document[] = []
  const given = new Map<Rule, string[]>()
  const start = Date.UTC(2025, 0, 1)
  sessions.forEach(({ topic }, session) => {
    topic.forEach((title, position) => {
      const at = start + session * 86_400_000
      const document: Document = {
        id: `${session}.${position}`,
        title,
        text: "",
        at,
        origin: `session ${session}`,
        position,
      }
      documents.push(document)
      const rule = rules.get(title)
      if (!rule) return
      const earlier = given.get(rule) ?? []
      const last = earlier.at(-1)
      if (links && last !== undefined) document.supersedes = [last]
      given.set(rule, [...earlier, document.id])
    })
  })
  return { documents, given }
}

function toQuery(store: string, rule: Rule, ids: string[]): Query[] {
  const newest = ids.at(-1)
  if (newest === undefined || ids.length < 2) return []
  const text = sharedWords(rule.versions)
  const id = `${store}/${rule.id}`
  return [{ id, store, kind: rule.kind, text, relevant: [newest], stale: ids.slice(0, -1), answerable: true }]
}

function sharedWords(versions: string[]): string {
  const [first = "", ...others] = versions.map((version) => version.split(" "))
  return [...first].filter((word) => others.every((words) => words.includes(word))).join(" ")
}
