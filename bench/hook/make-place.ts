import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { openDrey } from "../../src/drey.ts"
import type { LearnedBundle } from "../../src/memories/learned-bundle.ts"
import { bareScript } from "../recall-speed/cold-start.ts"
import { entryMaker } from "../recall-speed/made-entries.ts"
import { writeRepository } from "../recall-speed/made-repository.ts"

export type HookBenchPlace = {
  root: string
  /** What every process is started with. */
  env: Record<string, string>
  index: string
  /** A program that opens the index and asks it once. */
  bare: string
}

/** A repository and what was learned in it, both in an index that is up to date, and guards compiled. */
export async function makePlace(folder: string, entries: number, memories: number): Promise<HookBenchPlace> {
  const [root, home] = [join(folder, "repository"), join(folder, "home")]
  mkdirSync(root, { recursive: true })
  mkdirSync(home, { recursive: true })
  writeRepository(root, entries)
  const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: home, DREY_USER: "ines" }
  const bundle = join(folder, "memories.json")
  writeFileSync(bundle, JSON.stringify(makeMemories(memories)))
  const drey = openDrey({ root, environment: env, warn: () => {} })
  await drey.memories.import(bundle)
  await pause(2100) // the file system's clock may be as coarse as that
  await drey.search.reindex()
  await drey.context.compileGuards()
  await drey.close()
  const bare = join(folder, "bare.mjs")
  writeFileSync(bare, bareScript(createRequire(import.meta.url).resolve("@photostructure/sqlite")))
  const name = readdirSync(join(home, "index")).find((each) => each.endsWith(".db")) ?? ""
  return { root, env, index: join(home, "index", name), bare }
}

function makeMemories(count: number): LearnedBundle {
  const maker = entryMaker(11)
  const time = "2026-05-01T00:00:00.000Z"
  const memories = Array.from({ length: count }, (_, number) => {
    const { title, text } = maker.entry()
    return {
      id: `m-${number.toString(16).padStart(16, "0")}`,
      project_id: null,
      scope: "project" as const,
      path_prefix: null,
      owner_type: "user" as const,
      owner_id: "ines",
      kind: "pattern" as const,
      tier: "long_term" as const,
      polarity: 1 as const,
      key: null,
      text: `${title}. ${text.split(/(?<=\.)\s/)[0] ?? ""}`.slice(0, 300),
      status: "provisional" as const,
      confidence: 0.9,
      expires_at: null,
      created_at: time,
      updated_at: time,
    }
  })
  return { version: "1.0", exported_at: time, memories }
}
