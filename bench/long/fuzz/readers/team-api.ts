import { z } from "zod"
import * as api from "../../../../src/server/api.ts"
import { expectThat, type Reader } from "../reader.ts"

const time = "2026-03-02T09:00:00Z"
const trigger = { tools: ["bash"], heads: ["npm test"], paths: ["src/a.ts"], fingerprints: ["f1"] }
const memory = {
  id: "m-0123456789abcdef",
  project: "p",
  scope: "repo_path",
  pathPrefix: "src",
  owner: { type: "team", id: "t" },
  kind: "guard",
  tier: "long_term",
  polarity: -1,
  key: "project.test.command",
  text: "Never run make clean",
  status: "active",
  confidence: 0.8,
  expires: null,
  pinned: false,
  flags: ["x"],
  trigger,
  origin: "user",
  trust: 3,
  contributedBy: "Ines",
  sourceMemory: null,
  version: 3,
  created: time,
  updated: time,
  metrics: { useCount: 1, opportunities: 2, hits: 1, misses: 0, regretSaved: 0.5 },
}
const use = {
  key: "k",
  memory: "m",
  task: "t",
  project: "p",
  at: time,
  injected: true,
  outcome: "hit",
  exposed: true,
  cited: false,
  regretSaved: 1,
  netRegret: -1,
}
const event = { id: "e", ts: time, line: 1, role: "user", kind: "message", summary: "Fix it", more: { a: 1 } }
const episode = {
  id: "e",
  project: "p",
  client: "codex",
  session: "s",
  start: time,
  end: time,
  events: [event],
  stats: { errors: 1 },
  flushReason: "pause",
}

/** What the team server and its clients send each other: each schema by its name on the first line, the JSON below. */
export const teamApi: Reader = {
  name: "team-api",
  share: 100,
  largest: 256 * 1024,
  examples: () =>
    Object.entries({
      teamMemory: memory,
      sharedMemory: { ...memory, team: null, sourceMemory: "m-1" },
      changes: { memories: [memory], removed: ["m-2"], next: 7, more: false },
      useEvent: use,
      usesQuestion: { events: [use] },
      episodesQuestion: { episodes: [episode] },
      contextQuestion: { project: null, task: "Fix it", agent: "kane", paths: ["src/a.ts"], budget: 2000 },
      searchQuestion: { q: "dates", limit: 20 },
      memoryChange: { version: 3, text: "Never", pinned: true },
      slug: "our-team",
    }).map(([name, value]) => `${name}\n${JSON.stringify(value)}`),
  open: () => ({
    read(input) {
      const [name = "", ...rest] = input.toString("utf8").split("\n")
      const schema = schemas.get(name)
      if (!(schema instanceof z.ZodType)) return undefined // there are lists of words among them
      const read = schema.safeParse(parse(rest.join("\n")))
      if (!read.success) return read.error.issues.map(({ message }) => message)
      const again = schema.safeParse(read.data)
      expectThat(again.success, "what was read is in the form of its schema")
      return read.data
    },
  }),
}

const schemas = new Map<string, unknown>(Object.entries(api))

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // refused by every schema
  }
}
