import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Attempt } from "../src/formats/session/agent-memory.ts"
import type { Context } from "../src/recall/context/context-builder.ts"
import type { SessionGraduation } from "../src/sessions/graduation/session-graduation.ts"
import type { EntryTrace } from "../src/sessions/session-api.ts"
import type { SimilarAttempt } from "../src/sessions/similar-attempts.ts"
import { readTree } from "./run-cli.ts"
import { type SessionPlace, sessionPlace } from "./session-place.ts"

const task = "Make the lantern catalogue searchable"
const error = "SqliteError: no such tokenizer: trigram"
const lesson = "The bundled SQLite is built without the trigram tokenizer"

type Approach = { description: string; approach: string }
const byTrigrams: Approach = {
  description: "Index the catalogue by trigrams",
  approach: "Create an FTS5 table with the trigram tokenizer",
}
/** The same in other words. */
const byTrigramsToo: Approach = {
  description: "Index the catalogue",
  approach: "Let an FTS5 table use the trigram tokenizer",
}
const byPrefixes: Approach = {
  description: "Index the catalogue by words",
  approach: "Keep word prefixes with unicode61",
}

/** An agent that heeds warnings: it takes the first approach that has not failed before, and returns it. */
async function attempt(it: SessionPlace, agent: string, ...approaches: Approach[]): Promise<Approach> {
  const [first, ...others] = approaches
  if (!first) throw new Error("An agent has at least one idea.")
  const words = ({ description, approach }: Approach) => ["--description", description, "--approach", approach]
  const args = [first.description, "--approach", first.approach, "--step", "1", "--agent", agent]
  const { id, similar } = await it.sessionJson<{ id: string; similar: SimilarAttempt[] }>("attempt", "start", ...args)
  let taken = first
  for (let warnings = similar; warnings.length > 0; ) {
    const next = others.shift()
    if (!next) throw new Error("Everything has failed before.")
    await it.sessionJson("attempt", "update", id, "--agent", agent, ...words(next))
    warnings = (await it.sessionJson<{ similar: SimilarAttempt[] }>("arbiter", "--approach", next.approach)).similar
    taken = next
  }
  const isPossible = taken === byPrefixes
  const end = isPossible
    ? ["--result", "success", "--output", "412 lanterns found", "--artifact", "src/search/index.ts:modify"]
    : ["--result", "failure", "--error", error, "--lessons", lesson]
  await it.sessionJson("attempt", "finish", id, "--agent", agent, ...end)
  return taken
}

test("what failed for the developer is shown to the tester, who is warned, takes another approach and succeeds", async () => {
  const it = await sessionPlace(task)
  await it.sessionJson("plan", "--step-description", "Index the catalogue", "--step-description", "Show what is found")
  const found = "The catalogue is one table:\n- 412 lanterns\n- a name and a description each"
  await it.sessionJson("discover", found, "--type", "data_model", "--importance", "high", "--file", "src/catalogue.ts")
  expect(await attempt(it, "developer", byTrigrams, byPrefixes)).toBe(byTrigrams)

  const { stdout: prompt } = await it.session("prompt", "You test what others build.", "--agent", "tester")
  expect(prompt).toBe(`You test what others build.

## Prior Context from This Session

## Key Discoveries
- [data_model] The catalogue is one table: 412 lanterns; a name and a description each (developer)

## Recently Failed Approaches (Don't Repeat)
- Index the catalogue by trigrams (developer): ${error} (lesson: ${lesson})

Use this context to avoid repeating discoveries or failed approaches.
`)
  expect((await it.session("prompt", "You test.", "--agent", "tester", "--own")).stdout).toBe("You test.\n")

  const { approach, description } = byTrigramsToo
  const repeated = await it.session("attempt", "start", description, "--approach", approach, "--agent", "reviewer")
  expect(repeated).toMatchObject({ code: 0, stdout: "attempt-001\n" })
  expect(repeated.stderr).toBe(`⚠ similar to failed attempt-001 (developer): ${error}\n`)
  expect(await attempt(it, "tester", byTrigramsToo, byPrefixes)).toBe(byPrefixes)

  expect((await it.session("arbiter", "Who should continue?")).stdout).toBe(`Who should continue?

## Previous Agent Work This Session

**developer**: Last attempt (failure) - ${byTrigrams.description}
**reviewer**: Last attempt (in_progress) - ${byTrigramsToo.description}
**tester**: Last attempt (success) - ${byPrefixes.description}

Use this to make informed decisions about which agent should work next.
`)
})

/** The developer fails, the tester succeeds and decides; what the decision rests on is the developer's. */
async function workTogether(it: SessionPlace): Promise<void> {
  const found = "SQLite is bundled:\n- FTS5 is compiled in\n- the trigram tokenizer is not"
  const about = ["--type", "dependency_check", "--importance", "high", "--file", "src/search/index.ts"]
  await it.sessionJson("discover", found, ...about)
  await attempt(it, "developer", byTrigrams)
  await attempt(it, "tester", byTrigramsToo, byPrefixes)
  const reasons = ["--reasoning", lesson, "--alternative", "Trigrams: not compiled in", "--impact", "high"]
  const grounds = ["--discovery", "discovery-001", "--attempt", "attempt-001", "--agent", "tester"]
  await it.sessionJson("decide", "Search by prefixes of words", "--type", "architectural", ...reasons, ...grounds)
}

test("an entry is followed to what it rests on and to what came of it, across the agents", async () => {
  const it = await sessionPlace(task)
  await workTogether(it)
  const trace = await it.sessionJson<EntryTrace>("show", "discovery-001", "--trace")
  expect(trace).toMatchObject({ start: { kind: "discovery", agent: "developer" }, missing: [] })
  expect(trace.linked.map(({ relation, found: { agent, entry } }) => [relation, agent, entry.id])).toEqual([
    ["led to", "tester", "decision-001"],
    ["follows from", "tester", "attempt-001"],
  ])
  const back = (await it.session("show", "attempt-001", "--agent", "developer", "--trace")).stdout
  expect(back.split("\n").map((line) => line.trim().replace(/ {2}.*/, ""))).toEqual([
    "attempt-001 (developer)",
    "same step attempt-001 (tester)",
    "led to decision-001 (tester)",
    "rests on discovery-001 (developer)",
    "",
  ])
  const ambiguous = await it.session("show", "attempt-001")
  expect(ambiguous.code).not.toBe(0)
  expect(ambiguous.stderr).toMatch(/developer.*tester.*\n.*--agent/)
})

test("at the end what is worth keeping is proposed, kept when the user confirms, and once", async () => {
  const it = await sessionPlace(task)
  await workTogether(it)
  await it.session("attempt", "start", "Show what is found", "--step", "2")
  const { metadata, graduation } = await it.sessionJson<{
    metadata: { status: string; counts: object; filesModified: string[] }
    graduation: SessionGraduation
  }>("end", "--summary", "The catalogue can be searched")
  expect(metadata).toMatchObject({
    status: "complete",
    resultSummary: "The catalogue can be searched",
    agents: ["developer", "tester"],
    counts: { discoveries: 1, attempts: 3, decisions: 1, failures: 1 },
    filesModified: ["src/search/index.ts"],
  })
  const left = await it.sessionJson<{ entry: Attempt }>("show", "attempt-002", "--agent", "developer")
  expect(JSON.stringify(left)).toContain('"result":"partial"')
  expect(graduation.graduated).toEqual([])
  expect(graduation.proposals.map(({ target, id }) => [target, id])).toEqual([
    ["learned", "tester/attempt-001"],
    ["learned", "developer/discovery-001"],
    ["inbox", "tester/decision-001"],
    ["history", "developer/attempt-001"],
  ])
  expect(readdirSync(join(it.root, ".squad"))).toEqual(["sessions", "team.md"]) // asked for, nothing is written

  const kept = await it.sessionJson<SessionGraduation>("graduate", "--yes")
  expect(kept.graduated.map(({ id, isNew }) => [id, isNew])).toEqual(graduation.proposals.map(({ id }) => [id, true]))
  expect(kept.refused).toEqual([])
  const inbox = join(it.root, ".squad/decisions/inbox")
  expect(readdirSync(inbox)).toHaveLength(1)
  const proposal = readFileSync(join(inbox, readdirSync(inbox)[0] ?? ""), "utf8")
  for (const words of ["Search by prefixes of words", lesson, "Trigrams", "tester"]) expect(proposal).toContain(words)
  expect((await it.run("validate")).code).toBe(0)

  const before = { ...readTree(inbox), memories: JSON.stringify(it.rows("SELECT * FROM memories ORDER BY memory_id")) }
  expect(await it.sessionJson("graduate", "--yes")).toMatchObject({ proposals: [], graduated: [] })
  expect(await it.sessionJson("end")).toMatchObject({ graduation: { proposals: [] } })
  const after = { ...readTree(inbox), memories: JSON.stringify(it.rows("SELECT * FROM memories ORDER BY memory_id")) }
  expect(after).toEqual(before)

  const { text } = await it.runJson<Context>(
    "context",
    "--task",
    "Index the lanterns with the trigram tokenizer of FTS5",
  )
  expect(text).toMatch(/^\[m:\w+\] pattern · on trial/m)
  expect(text).toContain("unicode61")
})

test("with --graduate auto only what was verified is kept at once, with off nothing is even proposed", async () => {
  const it = await sessionPlace(task)
  await workTogether(it)
  const off = await it.sessionJson<{ graduation: SessionGraduation }>("end", "--graduate", "off")
  expect(off.graduation).toMatchObject({ proposals: [], graduated: [] })
  const { graduation } = await it.sessionJson<{ graduation: SessionGraduation }>("end", "--graduate", "auto")
  expect(graduation.graduated.map(({ id }) => id)).toEqual(["tester/attempt-001"])
  expect(readdirSync(join(it.root, ".squad"))).not.toContain("decisions")
})

test("what the user wrote into a session's files stays to the byte through all later writes", async () => {
  const it = await sessionPlace(task)
  await workTogether(it)
  const path = join(it.folder, "agent-memory.yaml")
  const edited = readFileSync(path, "utf8")
    .replace("discoveries:\n", "# What we know\ndiscoveries: # newest last\n")
    .replace(
      'type: "dependency_check"',
      "type:   'dependency_check'   # checked by hand\n    confidence: {level: 3, by: [ines, rook]}",
    )
    .replace(/$/, "\nmood: >-\n  quite\n  good\n\n# the end, without a line end")
  writeFileSync(path, edited)
  await it.sessionJson("discover", "Names are unique", "--type", "data_model")
  await it.sessionJson("attempt", "start", "Show what is found", "--step", "2")
  await it.sessionJson("attempt", "finish", "attempt-002", "--result", "partial", "--agent", "developer")
  await it.sessionJson("decide", "Show ten at a time", "--type", "implementation")
  await it.sessionJson("context", "--add", "blockers=The design is missing")
  await it.sessionJson("end", "--graduate", "auto")
  const after = readFileSync(path, "utf8").split("\n")
  const isMeant = (line: string) => /^(?:updatedAt: |decisions: \[\]$)/.test(line)
  let at = 0
  const missing = edited.split("\n").filter((line) => {
    const found = after.indexOf(line, at)
    if (found >= 0) at = found + 1
    return found < 0 && !isMeant(line)
  })
  expect(missing).toEqual([])
  expect((await it.session("validate", "--strict")).code).toBe(0)
  const { agents } = await it.sessionJson<{ agents: object[] }>("show")
  expect(agents[0]).toMatchObject({ mood: "quite good", discoveries: [{ confidence: { level: 3 } }, {}] })
})

test("a command that reads changes no byte", async () => {
  const it = await sessionPlace(task)
  await workTogether(it)
  const before = readTree(it.folder)
  for (const args of [
    ["show"],
    ["show", "decision-001", "--trace"],
    ["prompt", "You test.", "--agent", "tester"],
    ["arbiter", "Who?", "--approach", "trigrams", "--topic", "SQLite"],
    ["context"],
    ["plan"],
    ["list"],
    ["validate"],
    ["archive", "--dry-run"],
    ["graduate"],
    ["export"],
    ["cleanup"],
  ])
    expect(await it.session(...args), args.join(" ")).toMatchObject({ code: 0 })
  expect(readTree(it.folder)).toEqual(before)
})

test("what is noted comes from an argument or from stdin, and the id is all that stdout has", async () => {
  const it = await sessionPlace(task)
  const found = "One line\n  and an indented one: # no comment\n"
  expect((await it.sessionWith(found, "discover", "--type", "data_model")).stdout).toBe("discovery-001\n")
  expect((await it.sessionWith(found, "discover", "-", "--type", "data_model")).stdout).toBe("discovery-002\n")
  expect((await it.sessionWith("Try it", "attempt", "start")).stdout).toBe("attempt-001\n")
  expect((await it.sessionWith("Take it", "decide", "--type", "skip")).stdout).toBe("decision-001\n")
  expect((await it.sessionWith("Hello", "say", "--role", "user")).stdout).toBe("message-001\n")
  expect((await it.sessionWith("You test.\n", "prompt", "--own", "--agent", "tester")).stdout).toBe("You test.\n")
  const { agents } = await it.sessionJson<{ agents: { discoveries: { content: string }[] }[] }>("show")
  expect(agents[0]?.discoveries.map(({ content }) => content.trimEnd())).toEqual([found.trimEnd(), found.trimEnd()])
  expect(await it.session("discover", "--type", "data_model")).toMatchObject({ code: 2, stdout: "" }) // nothing to note
})

test("sessions are the person's own: no other user may read them", async () => {
  const it = await sessionPlace(task)
  await it.sessionJson("discover", "Names are unique", "--type", "data_model", "--agent", "tester")
  const below = readdirSync(it.folder, { recursive: true, withFileTypes: true })
  const open = below.filter((item) => {
    const mode = statSync(join(item.parentPath, item.name)).mode & 0o777
    return item.name !== ".gitignore" && mode !== (item.isDirectory() ? 0o700 : 0o600)
  })
  expect(statSync(it.folder).mode & 0o777).toBe(0o700)
  expect(open.map(({ name }) => name)).toEqual([])
})
