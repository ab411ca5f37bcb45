import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDrey } from "../src/drey.ts"
import { headingLevel } from "../src/formats/markdown.ts"
import { isTransient } from "../src/governance/classify.ts"
import { detectForbidden } from "../src/governance/detect-forbidden.ts"
import { isProtected } from "../src/team/archive/retention.ts"
import { readStore, type StoreReading } from "../src/team/team-entries.ts"
import { findStore, findTeamFolders } from "../src/team/team-folder.ts"
import { canaries } from "../test/canaries.ts"
import { type Shape, shapeGroups } from "./squad/shapes.ts"

/** Measures the gate and the Scribe's work over real repositories: `npm run squad -w bench -- <folder of repositories>`. */

const corpora = process.argv[2]
if (corpora === undefined || !existsSync(corpora)) {
  console.error("Name a folder of repositories: npm run squad -w bench -- <folder>")
  process.exit(2)
}
const clock = new Date("2026-11-15T00:00:00Z")
const shapeValues = 10
const repositories = readdirSync(corpora).sort()

/** Every way text can come in; each gets every canary, and afterwards no file may hold one. */
type WritePath = (folder: string, text: string, index: number) => Promise<unknown>

const writePaths: Record<string, WritePath> = {
  "memory write, content": async (folder, text) => (await memoryOf(folder)).write({ content: text, class: "DECISION" }),
  "memory write, title": async (folder, text) =>
    (await memoryOf(folder)).write({ content: "Use one index", title: text }),
  "memory write, author": async (folder, text) =>
    (await memoryOf(folder)).write({ content: "Use one index", author: text }),
  "memory write, metadata": async (folder, text) =>
    (await memoryOf(folder)).write({ content: "Use one index", metadata: { note: text } }),
  "memory write for an agent": async (folder, text) =>
    (await memoryOf(folder)).writeForAgent("kane", { content: text }),
  saveMemory: (folder, text) => drey(folder).governed.saveForAgent("kane", { summary: "Use one index", details: text }),
  "directive capture": (folder, text) => drey(folder).team.captureDirective(`Always remember: ${text}`, "Mira"),
  "inbox and merge": async (folder, text, index) => {
    const inbox = join(folder, ".squad", "decisions", "inbox")
    mkdirSync(inbox, { recursive: true })
    writeFileSync(
      join(inbox, `mira-${index}.md`),
      `### 2026-02-10: Use one index ${index}\n**By:** Mira\n**What:** ${text}\n`,
    )
    await drey(folder).team.merge()
    rmSync(inbox, { recursive: true, force: true }) // what was set aside there is a person's file, not Drey's
  },
  "import of rules": async (folder, text) => {
    const rules = join(folder, "CLAUDE.md")
    writeFileSync(rules, `# Rules\n\n- Always remember: ${text.replaceAll("\n", " ")}\n`)
    await drey(folder).team.import(rules, { format: "rules" })
    rmSync(rules)
  },
}

measureRefusals()
measureShapes()
await measureCanaries()
await measureTidy()

function measureRefusals(): void {
  let entries = 0
  let bytes = 0
  let milliseconds = 0
  const refused: string[] = []
  let transient = 0
  for (const repository of repositories) {
    for (const { path, read } of readStore(findStore(join(corpora ?? "", repository), ""), clock).files) {
      for (const { entry, text, line } of read.segments) {
        if (!entry) continue
        entries++
        bytes += Buffer.byteLength(text)
        const start = performance.now()
        const [finding] = detectForbidden(text)
        milliseconds += performance.now() - start
        if (finding) refused.push(`${repository}/${path}:${line} (${finding.reason})`)
        if (isTransient(text)) transient++
      }
    }
  }
  console.log("Governance over every entry of the corpora")
  console.log(`- refused: ${refused.length} of ${entries} = ${percent(refused.length, entries)} (goal: at most 0.1 %)`)
  for (const place of refused) console.log(`    ${place}`)
  console.log(`- transient: ${transient} = ${percent(transient, entries)}`)
  console.log(
    `- speed: ${((milliseconds * 1000) / (bytes / 1024)).toFixed(1)} µs per KB over ${(bytes / 1e6).toFixed(1)} MB\n`,
  )
}

/** Every shape alone and in a sentence, several values of each: one that passes once counts as missed. */
function measureShapes(): void {
  const halves = ["tuned", "heldOut"] as const
  const count = Object.values(shapeGroups).flatMap((group) => halves.flatMap((half) => Object.keys(group[half]))).length
  console.log(`Shapes of secrets: ${count}, ${shapeValues} values of each (goal: at least 99 % caught)`)
  let caught = 0
  for (const [group, shapes] of Object.entries(shapeGroups)) {
    for (const half of halves) {
      const names = Object.entries(shapes[half])
      const missed = names.filter(([, make]) => !isCaught(make)).map(([name]) => name)
      caught += names.length - missed.length
      const told = missed.length > 0 ? `, missed: ${missed.join(", ")}` : ""
      console.log(
        `- ${group}, ${half === "tuned" ? "rules written for them" : "held out"}: ${names.length - missed.length} of ${names.length}${told}`,
      )
    }
  }
  console.log(`- all: ${caught} of ${count} = ${percent(caught, count)}\n`)
}

function isCaught(make: Shape): boolean {
  return Array.from({ length: shapeValues }, make).every((value) =>
    [value, `We noted this:\n${value}\n\nThe rest is fine.`].every((text) => detectForbidden(text).length > 0),
  )
}

async function measureCanaries(): Promise<void> {
  const secrets = Object.entries(canaries).flatMap(([reason, shapes]) =>
    Object.entries(shapes).map(([shape, make]) => ({ reason, shape, make })),
  )
  const values = secrets.flatMap(({ shape, make }) => [
    { shape, value: make() },
    { shape, value: make() },
  ])
  console.log(
    `Canaries: ${values.length} values in ${secrets.length} shapes, through every write path (goal: all caught)`,
  )
  for (const [path, write] of Object.entries(writePaths)) {
    const missed = new Set<string>()
    const folder = mkdtempSync(join(tmpdir(), "drey-canaries-"))
    try {
      mkdirSync(join(folder, ".squad", "agents", "kane"), { recursive: true })
      for (const [index, { shape, value }] of values.entries()) {
        if (path === "import of rules" && value.includes("\n")) continue // a rule is one line
        await write(folder, `We noted this:\n${value}`, index)
        if (leaks(folder, value, path)) missed.add(shape)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    console.log(
      `- ${path}: ${secrets.length - missed.size} of ${secrets.length} shapes caught${missed.size > 0 ? `, missed: ${[...missed].join(", ")}` : ""}`,
    )
  }
  console.log()
}

function drey(folder: string): ReturnType<typeof openDrey> {
  return openDrey({ root: folder, now: () => clock })
}

async function memoryOf(folder: string): Promise<ReturnType<typeof openDrey>["governed"]> {
  return drey(folder).governed
}

function leaks(folder: string, value: string, path: string): boolean {
  const needle = path === "import of rules" ? value.replaceAll("\n", " ") : value
  return filesBelow(folder).some((file) =>
    readFileSync(file, "latin1").includes(Buffer.from(needle).toString("latin1")),
  )
}

async function measureTidy(): Promise<void> {
  const total = {
    before: 0,
    after: 0,
    told: 0,
    lost: 0,
    torn: 0,
    over: 0,
    protectedOver: 0,
    undated: 0,
    tokensBefore: 0,
    tokensAfter: 0,
  }
  const notes: string[] = []
  // Where a repository has both team folders Drey changes only .squad, so each is tidied in a copy of its own.
  const teams = repositories.flatMap((name) =>
    findTeamFolders(join(corpora ?? "", name)).folders.map((team) => ({ repository: `${name}/${team.name}`, team })),
  )
  for (const { repository, team } of teams) {
    const folder = mkdtempSync(join(tmpdir(), "drey-tidy-"))
    try {
      cpSync(team.path, join(folder, team.name), { recursive: true })
      makeWritable(folder)
      const store = findStore(folder, join(folder, "home"))
      const before = readStore(store, clock)
      const headings = subHeadings(before)
      const result = await openDrey({ root: folder, now: () => clock }).team.tidy()
      const after = readStore(findStore(folder, join(folder, "home")), clock)
      const present = new Set(idsOf(after))
      const known = new Set(idsOf(before))
      total.before += known.size
      total.after += present.size
      total.told += [...present].filter((id) => !known.has(id)).length
      total.lost += [...known].filter((id) => !present.has(id)).length
      const kept = subHeadings(after)
      total.torn += [...headings].filter(([id, count]) => (kept.get(id) ?? count) < count).length
      for (const { path, content, read } of after.files) {
        const gate = gateOf(path)
        if (gate === undefined || content.bytes < gate) continue
        const movable = read.entries.filter((entry) => !isProtected(entry) && isOld(entry.entry.timestamp))
        total.undated += movable.filter(({ entry }) => entry.timestamp.startsWith("1970")).length
        if (movable.some(({ entry }) => !entry.timestamp.startsWith("1970"))) {
          total.over++
          notes.push(`${repository}/${path}: ${content.bytes} B, ${movable.length} entries could still move`)
        } else total.protectedOver++
      }
      for (const agent of result.agents) {
        total.tokensBefore += tokens(agent.bytesBefore)
        total.tokensAfter += tokens(agent.bytesAfter)
      }
      for (const message of result.refused) notes.push(`${repository}: ${message}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  console.log(`tidy on copies of ${teams.length} team folders, clock ${clock.toISOString().slice(0, 10)}`)
  console.log(
    `- entries before ${total.before}, after ${total.after}, of them ${total.told} new (team updates that merge tells the agents); lost ${total.lost} (goal: 0)`,
  )
  console.log(`- entries with fewer sub-sections than before: ${total.torn} (goal: 0)`)
  console.log(
    `- files over their gate although something could move: ${total.over} (goal: 0); over it with protected text only: ${total.protectedOver}; undated entries in those: ${total.undated}`,
  )
  console.log(`- tokens all agents load: ${total.tokensBefore} before, ${total.tokensAfter} after`)
  for (const note of notes) console.log(`    ${note}`)
}

function idsOf({ entries }: StoreReading): string[] {
  return entries.map(({ id }) => id)
}

/** How many headings each entry has inside it; fewer afterwards would mean that one was torn off. */
function subHeadings({ files }: StoreReading): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { read } of files) {
    for (const { entry } of read.segments) {
      if (!entry || (entry.format === "legacy" && entry.unit === "update")) continue
      const text = `${entry.entry.details ?? ""}\n${entry.entry.rationale ?? ""}`
      const count = text.split("\n").filter((line) => headingLevel(line) > 0).length
      counts.set(entry.id, Math.max(count, counts.get(entry.id) ?? 0))
    }
  }
  return counts
}

function gateOf(path: string): number | undefined {
  if (/\/decisions\.md$/.test(path)) return 20_480
  return /\/history\.md$/.test(path) ? 12_288 : undefined
}

function isOld(timestamp: string): boolean {
  return clock.getTime() - Date.parse(timestamp) > 30 * 86_400_000
}

function tokens(bytes: number): number {
  return Math.round((bytes / 1024) * 250)
}

function makeWritable(folder: string): void {
  for (const path of filesBelow(folder)) writeFileSync(path, readFileSync(path), { mode: 0o644 })
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(3)} %`
}
