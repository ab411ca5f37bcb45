import { sha256 } from "../disk/hash.ts"
import { readTextFile } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import type { Item } from "../index/index-store.ts"
import { readRoster } from "../team/team-files.ts"
import type { TeamStore } from "../team/team-folder.ts"
import { rules } from "./context/gather.ts"
import { eligibilityOf } from "./eligibility.ts"
import type { RecallParts } from "./recall-parts.ts"
import { readChanges, readItems } from "./sync/origin-changes.ts"
import { listOrigins, type OriginFile } from "./sync/origins.ts"

/** A team rule as shown to the user; the hash is that of its text. */
export type BindingRule = { hash: string; title: string; author: string }

/** Everything that is given to some agent as a rule, from an up-to-date index. */
export async function listRules({ index, now }: RecallParts): Promise<BindingRule[]> {
  const time = now().getTime()
  const items = await index.select(
    { agent: "*", anyOf: rules, not: { sources: ["learned", "session"] } },
    { now: time },
  )
  return items.filter((item) => isRule(item, time)).map(toRule)
}

/** The same, read from the files; may include superseded rules. */
export async function readRules(store: TeamStore, now: Date): Promise<BindingRule[]> {
  const { changed } = await readChanges(store, listOrigins(store), undefined, new Map(), () => now)
  return changed.flatMap(({ items }) => items.filter((item) => isRule(item, now.getTime())).map(toRule))
}

export function hashesOf(found: readonly BindingRule[]): string[] {
  return [...new Set(found.map(({ hash }) => hash))]
}

/** Tracks what is written from now on: `added` returns the hashes of all items that were not in a file before. */
export function openOwnWrites(store: TeamStore, now: () => Date): { added(): Promise<string[]> } {
  const before = new Map(
    originsOf(store).map((origin) => [origin.key, { look: origin.look.text, text: textOf(origin) }]),
  )
  return {
    async added() {
      const context = { roster: readRoster(store), records: new Map(), now: now() }
      const hashes = async (origin: OriginFile, text: string | undefined) =>
        text === undefined ? [] : (await readItems(origin, text, context)).items.map((item) => toRule(item).hash)
      const added: string[] = []
      for (const origin of originsOf(store)) {
        const old = before.get(origin.key)
        if (old?.look === origin.look.text) continue
        const text = textOf(origin)
        const tail = old?.text !== undefined && text?.startsWith(old.text) ? text.slice(old.text.length) : ""
        if (/^\s*### /.test(tail))
          added.push(...(await hashes(origin, tail))) // whole entries at the end of a large file
        else {
          const known = new Set(await hashes(origin, old?.text))
          added.push(...(await hashes(origin, text)).filter((hash) => !known.has(hash)))
        }
      }
      return added
    },
  }
}

function originsOf(store: TeamStore): OriginFile[] {
  return listOrigins(store).files.filter(({ kind }) => kind === "entries" || kind === "governed")
}

/** An unreadable file contains no rules: it is left out of every context, with a warning. */
function textOf({ absolute, key }: OriginFile): string | undefined {
  try {
    return readTextFile(absolute, { name: key }).text
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return undefined
  }
}

function isRule(item: Item, now: number): boolean {
  const paths = item.pathPrefix === undefined ? [] : [item.pathPrefix]
  const standing = eligibilityOf(item, { agent: item.agent, paths, now })
  return standing.kind === "may stand" && standing.lane === "rules"
}

function toRule({ title, text, author }: Item): BindingRule {
  return { hash: sha256(`${title}\n${text}`).slice(0, 12), title, author }
}
