import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { openDatabase } from "../src/disk/sqlite.ts"
import type { Memories } from "../src/drey/memories.ts"
import { type Drey, openDrey } from "../src/drey.ts"
import type { DreyOptions } from "../src/project.ts"
import { claudeSession } from "./claude-session.ts"
import { type FakeAnswer, type FakeModel, startFakeModel } from "./fake-model.ts"
import { type CliResult, makeRepository } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"
import { runWarm } from "./warm-cli.ts"

/** For tests: a user's machine with one repository on it, and nothing learned yet. */
export type LearningPlace = {
  /** The person's home; transcripts are below it, and Drey's own folder. */
  home: string
  root: string
  env: { HOME: string; DREY_HOME: string; DREY_USER: string }
  /** The file in which everything that was learned is kept. */
  database: string
  /** Runs the built CLI in the repository. */
  run(...args: string[]): Promise<CliResult>
  /** The same for a command that must succeed, with its JSON document. */
  runJson<Document>(...args: string[]): Promise<Document>
  /** Opens the repository in this process, for as long as the test runs. */
  open(options?: OpenOptions): Drey
  /** The same, for what it learns. */
  learning(options?: OpenOptions): Memories
  /** What the database holds, in SQL. */
  rows<Row>(sql: string): Row[]
  /** Changes the database behind Drey's back. */
  change(sql: string): void
}

/** `at`: a fixed time. `dreyHome`: another folder of Drey's own, as if nothing had been learned before. */
type OpenOptions = Omit<DreyOptions, "root" | "environment"> & { at?: string; dreyHome?: string }

/** With `home`, another repository of the same user. */
export function learningPlace({ files = {}, home = makeRepository({}) }: PlaceOptions = {}): LearningPlace {
  const root = realpathSync(makeRepository({ ".squad/team.md": "# Team\n", ...files }))
  const env = { HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  trustForTest(env.DREY_HOME, root)
  const database = join(env.DREY_HOME, "drey.db")
  const run = (...args: string[]) => runWarm(args, { cwd: root, env })
  const open = ({ at, dreyHome = env.DREY_HOME, ...options }: OpenOptions = {}) => {
    const clock = at === undefined ? {} : { now: () => new Date(at) }
    const environment = { ...env, DREY_HOME: dreyHome }
    const drey = openDrey({ warn: () => {}, ...clock, ...options, root, environment })
    onTestFinished(() => drey.close())
    return drey
  }
  return {
    home,
    root,
    env,
    database,
    run,
    open,
    learning: (options) => open(options).memories,
    async runJson(...args) {
      const { code, stdout, stderr } = await run(...args, "--json")
      if (code !== 0) throw new Error(`drey ${args.join(" ")} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    rows<Row>(sql: string) {
      const opened = openDatabase(database, { readOnly: true })
      const rows = opened.prepare<Row>(sql).all()
      opened.close()
      return rows
    },
    change(sql) {
      const opened = openDatabase(database)
      try {
        opened.exec(sql)
      } finally {
        opened.close()
      }
    },
  }
}

type PlaceOptions = { files?: Record<string, string>; home?: string }

/** A session of an hour ago in which the user says these words at the start of a task; learned from at the next ingest. */
export function say(
  { home, root }: LearningPlace,
  words: string,
  { session = "said", start = anHourAgo() } = {},
): void {
  const work = claudeSession(home, { cwd: root, session, start })
  work.user("Show the sum of all rows in the invoice table")
  work.assistant("I'll begin with the table.")
  work.user(words)
  work.edit("src/table.ts")
  work.run("make", "done")
}

function anHourAgo(): string {
  return new Date(Date.now() - 3_600_000).toISOString()
}

/** A language model on loopback that writes the memories of this place from now on, and gives the scripted answers. */
export async function useModel({ env }: LearningPlace, ...answers: FakeAnswer[]): Promise<FakeModel> {
  const model = await startFakeModel(...answers)
  onTestFinished(() => model.close())
  const writer = { kind: "model", provider: "openai-compatible", baseUrl: `${model.url}/v1`, model: "fake" }
  useWriter(env.DREY_HOME, writer)
  return model
}

export function useWriter(dreyHome: string, writer: object): void {
  mkdirSync(dreyHome, { recursive: true })
  writeFileSync(join(dreyHome, "config.json"), JSON.stringify({ writer }))
}

/** A model's answer that adds, updates or ends these memories, each with what `say` says as evidence. */
export function operations(...ops: { quote?: string; [field: string]: unknown }[]): FakeAnswer {
  const evidence = { source: "explicit_statement", frustration: "none", event: 2 }
  const complete = {
    op: "ADD",
    scope: "project",
    owner_type: "user",
    owner_id: "ines",
    kind: "invariant",
    tier: "long_term",
    polarity: 1,
    confidence: 0.9,
  }
  const withEvidence = ops.map(({ quote, ...operation }) => ({
    ...complete,
    evidence: quote === undefined ? evidence : { ...evidence, event: undefined, quote },
    ...operation,
  }))
  return { text: JSON.stringify({ ops: withEvidence }) }
}
