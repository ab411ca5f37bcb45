import { appendFileSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { entryMaker } from "../../../bench/recall-speed/made-entries.ts"
import { writeRepository } from "../../../bench/recall-speed/made-repository.ts"
import { openDrey } from "../../../src/drey.ts"
import { learnedPath } from "../../../src/memories/ledger.ts"
import type { Memory } from "../../../src/memories/memory.ts"
import { testMemory } from "../../../src/memories/review/test-memory.ts"
import { sqliteStore } from "../../../src/memories/sqlite-store.ts"
import { writeMemories } from "./ferry-audit.ts"
import { ferryFiles } from "./ferry-files.ts"
import { holdSessions } from "./ferry-sessions.ts"
import { workForWeeks } from "./ferry-work.ts"

export type Sample = { root: string; env: { PATH: string; HOME: string; DREY_HOME: string; DREY_USER: string } }

export type SampleSize = {
  /** Further entries and memories, of words that mean nothing, beside what the team wrote and learned. */
  entries: number
  memories: number
}

/** A team's repository with all that the browser app can show of one, and the home of the person who looks at it. */
export async function makeSample(folder: string, { entries, memories }: SampleSize): Promise<Sample> {
  const [root, home] = [join(folder, "ferry-tickets"), join(folder, "home")]
  mkdirSync(home, { recursive: true })
  if (entries > 0) writeRepository(root, entries)
  const now = Date.now()
  for (const [path, text] of Object.entries(ferryFiles(now))) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    appendFileSync(join(root, path), `\n${text}`)
  }
  const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  let clock = now
  const at = (hours: number) => {
    clock = now - hours * 3_600_000
  }
  const drey = openDrey({ root, environment: env, warn: () => {}, now: () => new Date(clock) })
  await workForWeeks({ drey, home, at, now })
  await writeMemories(drey, at)
  await holdSessions(drey, at)
  at(0)
  const project = await drey.memories.project()
  await drey.close()
  const store = sqliteStore(learnedPath(env.DREY_HOME))
  await store.importMemories(makeMemories(memories, project.id, now), new Date(now).toISOString())
  await store.close()
  return { root, env }
}

const statuses = ["provisional", "provisional", "provisional", "active", "deprecated"] as const
const kinds = ["pattern", "invariant", "guard", "preference", "note"] as const

function makeMemories(count: number, project: string, now: number): Memory[] {
  const maker = entryMaker(11)
  return Array.from({ length: count }, (_, number) => {
    const { title, text } = maker.entry()
    const created = new Date(now - (number % 900) * 86_400_000).toISOString()
    const kind = kinds[number % kinds.length] ?? "pattern"
    return testMemory(`m-${number.toString(16).padStart(16, "0")}`, {
      project,
      kind,
      polarity: kind === "guard" ? -1 : 1,
      status: statuses[number % statuses.length] ?? "provisional",
      text: `${title}. ${text.split(/(?<=\.)\s/)[0] ?? ""}`.slice(0, 300),
      owner: { type: "user", id: "ines" },
      created,
      updated: created,
    })
  })
}
