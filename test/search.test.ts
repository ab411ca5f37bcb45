import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Drey } from "../src/drey.ts"
import { parseQuery } from "../src/formats/query.ts"
import type { SearchRequest } from "../src/recall/search/item-search.ts"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, writeFiles } from "./run-cli.ts"
import { openTeam, reopen, teamFiles } from "./team-store.ts"
import { warmCliIn } from "./warm-cli.ts"

async function find(drey: Drey, text: string, options: Omit<SearchRequest, "query"> = {}) {
  const parsed = parseQuery(text)
  if (parsed.kind === "invalid") throw new Error(parsed.problems[0]?.message)
  return (await drey.search.items({ query: parsed.query, ...options })).hits
}

const titlesOf = async (drey: Drey, text: string, options: Omit<SearchRequest, "query"> = {}) =>
  (await find(drey, text, options)).map(({ title }) => title)

test("a search prints what it found, best first, and as JSON what other programs rely on", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const { code, stdout, stderr } = await run("search", "short", "tokens")
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^Log in with short tokens \[[0-9a-f]{4}\]\n {2}decision · Kane · 2026-02-10 · \.squad\/decisions\.md:\d+\n {2}\S/,
  )
  expect(stderr).toMatch(/^\d+ results?$/m)
  const found = JSON.parse((await run("search", "short tokens", "--json")).stdout)
  const line = teamFiles[".squad/decisions.md"].split("\n").findIndex((each) => each.includes("short tokens")) + 1
  expect(found[0]).toEqual({
    id: expect.stringMatching(/^sem-[0-9a-f]{12}$/),
    class: "DECISION",
    source: "decisions",
    type: "decision",
    title: "Log in with short tokens",
    snippet: expect.stringContaining("fifteen minutes"),
    highlights: expect.any(Array),
    path: ".squad/decisions.md",
    line,
    score: expect.any(Number),
    author: "Kane",
    date: "2026-02-10T09:00:00.000Z",
    supersededBy: [],
  })
})

test("nothing found is an answer with exit code 1", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const words = ["search", "xylophone zeppelin quagmire"]
  expect(await run(...words)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("Nothing found.\n"),
  })
  expect(await run(...words, "--json")).toMatchObject({ code: 1, stdout: "[]\n" })
})

test("what an entry names as related is a filter in memory and search, and is found as a word", async () => {
  const entry = (second: number, title: string, related: string) =>
    semEntry(`2026-02-10T09:00:0${second}Z`, "decision", title, { details: "Nothing else." }).replace(
      /\n---\s*$/,
      `\n**related:**\n${related}\n\n---\n`,
    )
  const decisions = [
    entry(1, "First", "- issue: #18\n- reference: docs/zeppelin.md"),
    entry(2, "Second", "- pr: https://github.com/acme/shop/pull/18"),
    entry(3, "Third", "- issue: #181"),
  ].join("\n")
  const { run } = warmCliIn(makeRepository({ ".squad/decisions.md": decisions }))
  const titles = async (...words: string[]) =>
    JSON.parse((await run(...words, "--json")).stdout)
      .map(({ title }: { title: string }) => title)
      .sort()
  for (const command of ["memory", "search"]) {
    expect(await titles(command, "related:#18"), command).toEqual(["First", "Second"])
    expect(await titles(command, "related:issue:18"), command).toEqual(["First"])
    expect(await titles(command, "related:docs/zeppelin.md"), command).toEqual(["First"])
    expect(await titles(command, "type:decision -related:#18"), command).toEqual(["Third"])
    expect(await titles(command, "zeppelin"), command).toEqual(["First"])
  }
})

test("SEM entries in the files of a skill are read; the instructions around them are not entries", async () => {
  const lesson = semEntry("2026-02-11T09:00:00Z", "decision", "Sign the yard tarball", {
    details: "With the gantry key.",
  })
  const rule = semEntry("2026-02-12T09:00:00Z", "directive", "Always ring the harbour bell", { details: "Twice." })
  const files = {
    ...teamFiles,
    ".squad/skills/release-train/SKILL.md": `${teamFiles[".squad/skills/release-train/SKILL.md"]}
### 2026-02-01: An example of no entry

**By:** Kane

${lesson.replace(/---\s*$/, "")}
## When to use

Before every departure.
`,
    ".squad/skills/release-train/notes/bells.md": `# Bells\n\n${rule}`,
  }
  const { run } = warmCliIn(makeRepository(files))
  await run("trust")
  const listed = JSON.parse((await run("memory", "source:skills", "--json")).stdout)
  expect(
    listed.map(({ title, source, path, details }: Record<string, string>) => [title, source, path, details]),
  ).toEqual([
    ["Always ring the harbour bell", "skills", ".squad/skills/release-train/notes/bells.md", "Twice."],
    ["Sign the yard tarball", "skills", ".squad/skills/release-train/SKILL.md", "With the gantry key."],
  ])
  const found = JSON.parse((await run("search", "gantry", "--json")).stdout)
  expect(found).toContainEqual(
    expect.objectContaining({ title: "Sign the yard tarball", source: "skills", type: "decision" }),
  )
  expect(found).toContainEqual(expect.objectContaining({ id: "skill:release-train" }))
  const { stdout } = await run("context", "--task", "ring the harbour bell and sign the tarball", "--json")
  const { included } = JSON.parse(stdout)
  expect(included.map(({ reason }: { reason: string }) => reason).join("\n")).toMatch(/directive in a skill/)
  expect((await run("convert-memory", "--dry-run", "--json")).stdout).not.toContain("skills/")
})

test("a word in quotes must be there, and what is only proposed does not pass for a decision", async () => {
  const { drey, root } = openTeam()
  expect((await titlesOf(drey, "login elevator")).length).toBeGreaterThan(1)
  expect(await titlesOf(drey, 'login "elevator"')).toEqual(["Paint the elevator"])
  const { stdout } = await warmCliIn(root).run("search", "elevator")
  expect(stdout).toMatch(/^Paint the elevator \[.*\]\n {2}decision \(inbox\) · Rook · /)
})

test("a word that is nowhere matches as a prefix", async () => {
  const { drey } = openTeam({
    ".squad/decisions.md": `${semEntry("2026-02-10T09:00:00Z", "decision", "The dashboard shows dusk")}
${semEntry("2026-02-11T09:00:00Z", "decision", "Normalize every address")}
${semEntry("2026-02-12T09:00:00Z", "decision", "Deployment waits for the whistle")}`,
  })
  expect(await titlesOf(drey, "dashb")).toEqual(["The dashboard shows dusk"])
  expect(await titlesOf(drey, "normaliz")).toEqual(["Normalize every address"])
  expect(await titlesOf(drey, "deploym whistle")).toEqual(["Deployment waits for the whistle"])
  expect(await titlesOf(drey, "da")).toEqual([])
  const { included } = (await drey.context.build({ task: "dashb" })).context
  expect(included.map(({ reason }) => reason)).toEqual(Array(3).fill("active decision")) // not relevant to it
})

test.each([
  [["search"], /missing required argument/],
  [["search", "x", "--limit", "none"], /"none" is not a number of results\n {2}Write a whole number from 1/],
  [["search", "x", "--limit", "0x2"], /"0x2" is not a number of results/],
  [["search", "x", "--limit", "1e3"], /"1e3" is not a number of results/],
  [["search", "source:kitchen lanterns"], /"kitchen" is not a source/],
  [["search", "x", "--limit", "0"], /"0" is not a number of results/],
  [["search", "x", "--as-of", "tomorrow"], /"tomorrow" is not a date/],
  [["search", "x", "--source", "kitchen"], /Allowed choices are decisions/],
  [["search", "type:decison lanterns"], /"decison" is not a type. Did you mean "decision"\?/],
  [["search", "lanterns after:yesterday"], /"yesterday" is not a date/],
  [["search", "x", "--root", "/nowhere/at/all"], /\/nowhere\/at\/all/],
])("bad input is reported in a sentence with exit code 2: %j", async (args, sentence) => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
  expect(stderr).toMatch(sentence)
  expect(stderr).not.toMatch(/internal error| at .*\.js/)
})

test("what only looks like a filter is searched for literally", async () => {
  const { run } = warmCliIn(
    makeRepository({
      ".squad/decisions.md": semEntry("2026-02-10T09:00:00Z", "note", "Listen on http://localhost:3000"),
    }),
  )
  expect((await run("search", "http://localhost:3000")).stdout).toContain("Listen on http://localhost:3000")
  expect((await run("search", 'localhost "3000')).stdout).toContain("Listen on http://localhost:3000")
})

test("every source is searched: decisions in any style, inbox, histories by the bullet, skills, archives", async () => {
  const { drey } = openTeam()
  const first = async (text: string, options: Omit<SearchRequest, "query"> = {}) => {
    const [hit] = await find(drey, text, options)
    return hit && [hit.source, hit.type, hit.title]
  }
  expect(await first("lanterns hall")).toEqual(["decisions", "decision", "Use lanterns in every hall"])
  expect(await first("elevator paint")).toEqual(["inbox", "decision", "Paint the elevator"])
  expect(await first("proxy cache warm")).toEqual(["history", "memory", "The proxy needs a warm cache"])
  expect(await first("release yard whistle")).toEqual(["skills", "skill", "release-train"])
  expect(await first("punch cards")).toEqual(["archive", "decision", "Use punch cards"])
  expect(await first("punch cards source:archive")).toEqual(["archive", "decision", "Use punch cards"])
})

test("a governed memory is found from the moment it is written until it is deleted", async () => {
  const { drey } = openTeam()
  const memory = drey.governed
  const write = async (content: string, memoryClass: string) => {
    const written = await memory.write({ content, class: memoryClass, author: "kane" })
    return written.stored ? written.id : "refused"
  }
  const local = await write("Walruses guard the staging cluster.", "LOCAL")
  const policy = await write("Walruses must never deploy.", "POLICY")
  const decision = await write("Walruses own the gateway.", "DECISION")
  const found = await find(drey, "walruses")
  expect(found.map(({ source }) => source).sort()).toEqual(["inbox", "memory", "policy"])
  expect(found.map(({ id }) => id).sort()).toEqual([local, policy, decision].sort())
  await memory.delete(local, "kane")
  expect((await find(drey, "walruses", { all: true })).map(({ source }) => source).sort()).toEqual(["inbox", "policy"])
})

test("all styles of a legacy file are found, and lead to their line", async () => {
  const text = `# Team decisions

### 2026-01-05: Ship the barometer
**By:** Rook
**What:** The barometer goes out first.

## Decision: Keep the thermometer

**Date:** 2026-01-06
**Author:** Wren

It stays on the wall.

---

- **2026-01-07** — Rook: the hygrometer is gone
`
  const { drey } = openTeam({ ".ai-team/decisions.md": text })
  const lines = text.split("\n")
  for (const word of ["barometer", "thermometer"]) {
    const [hit] = await find(drey, word)
    expect(hit?.path).toBe(".ai-team/decisions.md")
    expect(hit?.line).toBe(lines.findIndex((line) => line.includes(word)) + 1)
  }
})

test.each([
  ["type:directive", ["Never push on Friday"]],
  ["type:directive type:note", ["The kitchen is on the left", "Never push on Friday"]],
  ["author:kane source:decisions", ["Log in with short tokens"]],
  ["author:Wren tag:api", ["Log in with short tokens"]],
  ["tag:api tag:login", ["Log in with short tokens"]],
  ["tag:api tag:office", []],
  ["scope:project", ["Never push on Friday"]],
  ["scope:agent:kane source:history", ["The proxy needs a warm cache", "The scheduler drops jobs at midnight"]],
  ["source:inbox", ["Paint the elevator"]],
  ["after:2026-02-12 source:decisions", ["The kitchen is on the left", "Never push on Friday"]],
  ["before:2026-02-06 source:decisions", ["Use lanterns in every hall"]],
  ["after:2026-02-10 before:2026-02-13", ["Never push on Friday", "Log in with short tokens"]],
  ["recent:3d source:decisions", ["The kitchen is on the left"]],
  ["type:note -tag:office", []],
  ["source:decisions -type:decision -type:note", ["Never push on Friday"]],
  ["source:decisions -author:Kane -author:Rook", ["The kitchen is on the left", "Never push on Friday"]],
  ["source:decisions -kitchen -tokens -lanterns", ["Never push on Friday"]],
  ['"push on friday"', ["Never push on Friday"]],
  ['"friday on push"', []],
  ['push "is on the left" kitchen', ["The kitchen is on the left"]],
  ['"is on the"', ["The kitchen is on the left"]],
])("the query %s finds exactly what it asks for", async (query, titles) => {
  const { drey } = openTeam()
  expect(await titlesOf(drey, query)).toEqual(titles)
})

const chain = {
  ".squad/decisions.md": `${semEntry("2026-01-10T09:00:00Z", "decision", "Indent with tabs", { fields: ["**expires:** 2026-02-01T00:00:00Z"] })}
${semEntry("2026-01-20T09:00:00Z", "decision", "Indent with four spaces", { fields: ["**supersedes:** 2026-01-10T09:00:00Z"] })}
${semEntry("2026-01-25T09:00:00Z", "note", "Indent the menu", { fields: ["**expires:** 2026-02-01T00:00:00Z"] })}`,
  ".squad/agents/kane/history.md": semEntry("2026-01-30T09:00:00Z", "memory", "Indent with two spaces", {
    author: "Kane",
    fields: ["**supersedes:** 2026-01-20T09:00:00Z", "**scope:** team"],
  }),
}

test.each([
  ["indent", {}, ["Indent the menu", "Indent with two spaces"]],
  ["status:active", {}, ["Indent the menu", "Indent with two spaces"]],
  ["status:active", { all: true }, ["Indent the menu", "Indent with two spaces"]],
  ["status:superseded", {}, ["Indent with four spaces", "Indent with tabs"]],
  ["-status:active", {}, ["Indent with four spaces", "Indent with tabs"]],
  ["status:review-due", {}, ["Indent the menu"]],
  ["-status:review-due", {}, ["Indent with four spaces", "Indent with tabs", "Indent with two spaces"]],
  ["status:superseded status:review-due", {}, ["Indent the menu", "Indent with four spaces", "Indent with tabs"]],
  ["-status:superseded", { all: true }, ["Indent the menu", "Indent with two spaces"]],
  [
    "indent",
    { all: true },
    ["Indent the menu", "Indent with four spaces", "Indent with tabs", "Indent with two spaces"],
  ],
] as const)("by status: %s %j", async (query, options, titles) => {
  const { drey } = openTeam(chain)
  expect((await titlesOf(drey, query, options)).sort()).toEqual(titles)
})

test("as of an earlier day, what came later is absent and supersedes nothing", async () => {
  const { drey } = openTeam(chain)
  for (const query of ["indent spaces tabs", "source:decisions"]) {
    const hits = await find(drey, query, { asOf: Date.parse("2026-01-15T00:00:00Z") })
    expect(hits.map(({ title, supersededBy }) => ({ title, supersededBy }))).toEqual([
      { title: "Indent with tabs", supersededBy: [] },
    ])
    const later = await find(drey, `${query} -menu`, { asOf: Date.parse("2026-01-27T00:00:00Z"), all: true })
    const old = later.find(({ title }) => title === "Indent with tabs")
    const middle = later.find(({ title }) => title === "Indent with four spaces")
    expect([old?.supersededBy, middle?.supersededBy]).toEqual([[middle?.id], []])
  }
  const { run } = warmCliIn(makeRepository(chain))
  const { stdout } = await run("search", "indent", "--as-of", "2026-01-20", "--json")
  expect(JSON.parse(stdout).map(({ title }: { title: string }) => title)).toEqual(["Indent with four spaces"])
})

test("--agent shows what one agent remembers, --source what is in one place, --limit at most so many", async () => {
  const { run } = warmCliIn(makeRepository(teamFiles))
  const titles = async (...args: string[]) =>
    JSON.parse((await run("search", ...args, "--json")).stdout).map(({ title }: { title: string }) => title)
  expect(await titles("scheduler jobs carousel tokens", "--agent", "KANE")).toEqual([
    "The scheduler drops jobs at midnight",
  ])
  expect(await titles("scheduler lanterns elevator", "--source", "inbox")).toEqual(["Paint the elevator"])
  expect(await titles("scheduler lanterns elevator proxy", "--limit", "2")).toHaveLength(2)
})

test("one agent's notes are found among hundreds of others with the same text, and as many are listed as requested", async () => {
  const many = Array.from({ length: 450 }, (_, index) =>
    semEntry(
      new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString().replace(".000", ""),
      "note",
      `Login login number ${index}`,
    ),
  )
  const { drey } = openTeam({
    ".squad/decisions.md": many.join("\n"),
    ".squad/agents/kane/history.md": `# Kane\n\n- 2026-02-03: The yard is long, and somewhere behind it there is a login to be found among other matters\n`,
  })
  expect(await titlesOf(drey, "login", { agent: "kane" })).toHaveLength(1)
  expect(await titlesOf(drey, "login", { limit: 400 })).toHaveLength(400)
  expect(await titlesOf(drey, '"login number 449"', { limit: 5 })).toEqual(["Login login number 449"])
})

test.each([
  "refreshToken",
  "refresh_token",
  "refresh",
  "src/auth/session_store.ts",
  "session_store",
  "sessionStore",
  "session_store.ts",
  "#123",
  "v1.4.2",
  "1.4.2",
  "1.4",
])("an identifier, path, version or number is found whole and by its parts: %s", async (word) => {
  const { drey } = openTeam()
  expect((await titlesOf(drey, word))[0]).toBe("Log in with short tokens")
})

test("a snippet shows the searched words, and highlights are at their positions", async () => {
  const filler = "Nothing of interest happens in this part of the building at all. ".repeat(20)
  const { drey } = openTeam({
    ".squad/decisions.md": semEntry("2026-02-10T09:00:00Z", "decision", "A long story", {
      details: `${filler}The **lighthouse** keeps burning for the harbour.\n\n${filler}`,
    }),
  })
  const [hit] = await find(drey, "lighthouses harbours")
  expect(hit?.snippet).toContain("lighthouse")
  expect(hit?.snippet.length).toBeLessThan(300)
  expect(hit?.highlights.map(({ start, end }) => hit.snippet.slice(start, end))).toEqual(["lighthouse", "harbour"])
})

test("an edit of the same size in the same second is seen by the next command, and a file that goes takes its items along", async () => {
  const path = ".squad/decisions.md"
  const cwd = makeRepository({ [path]: legacyEntry("2026-02-05", "Use lanterns"), ".squad/team.md": "# Team\n" })
  const { run } = warmCliIn(cwd)
  const found = async (word: string) => (await run("search", word, "--json")).code === 0
  expect(await found("lanterns")).toBe(true)
  const { atime, mtime } = statSync(join(cwd, path))
  writeFileSync(join(cwd, path), readFileSync(join(cwd, path), "utf8").replaceAll("lanterns", "rockets!"))
  utimesSync(join(cwd, path), atime, mtime)
  expect([await found("rockets"), await found("lanterns")]).toEqual([true, false])
  rmSync(join(cwd, path))
  expect(await found("rockets")).toBe(false)
})

test("an open Drey answers from the current files", async () => {
  const { root, home, drey } = openTeam()
  expect(await titlesOf(drey, "zeppelin")).not.toContain("Build a zeppelin")
  writeFiles(root, { ".squad/decisions/inbox/kane-zeppelin.md": legacyEntry("2026-02-16", "Build a zeppelin") })
  expect((await titlesOf(drey, "zeppelin"))[0]).toBe("Build a zeppelin")
  await drey.governed.saveForAgent("kane", "Zeppelins leak helium")
  const { drey: other } = reopen(root, home)
  expect((await titlesOf(other, "helium"))[0]).toContain("Zeppelins leak helium")
  expect((await titlesOf(drey, "helium"))[0]).toContain("Zeppelins leak helium")
})

test("a file that cannot be read is named, and the rest is answered", async () => {
  const { run } = warmCliIn(
    makeRepository({ ...teamFiles, ".squad/decisions/broken.md": Uint8Array.of(0xff, 0xfe, 0, 0xd8, 0) }),
  )
  for (const _ of ["first", "second"]) {
    const { code, stdout, stderr } = await run("search", "lanterns")
    expect(stdout).toContain("Use lanterns in every hall")
    expect(stderr).toContain(".squad/decisions/broken.md")
    expect(code).toBe(1)
  }
})

test("nothing in a stored text reaches the terminal as a command to it", async () => {
  const { run } = warmCliIn(
    makeRepository({
      ".squad/decisions.md": semEntry("2026-02-10T09:00:00Z", "decision", "Use \u001b[31mred\u001b[0m paint\u0007", {
        details: "Paint \u001b]0;owned\u0007 it \u202egnp.exe",
      }),
    }),
  )
  const { stdout } = await run("search", "paint")
  expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/)
  expect(stdout).toContain("red")
})

test("the skills that init brings teach agents to use Drey: a team's search finds its own skills alone", async () => {
  const own =
    "---\nname: squad-conventions\ndescription: How we write entries\ndomain: project-conventions\n---\n\nOurs.\n"
  const root = makeRepository({ ".squad/decisions.md": "" })
  const { run } = warmCliIn(root)
  await run("init", "--skip-history")
  expect((await run("search", "write entries", "--json")).stdout.trim()).toBe("[]")
  writeFiles(root, { ".squad/skills/squad-conventions/SKILL.md": own })
  const found = JSON.parse((await run("search", "write entries", "--json")).stdout)
  expect(found.map(({ id }: { id: string }) => id)).toEqual(["skill:squad-conventions"])
})
