import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openTestCalls } from "../src/mcp/test-calls.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { openTeam } from "./team-store.ts"

const decisions = ".squad/decisions.md"
const inbox = ".squad/decisions/inbox/kane.md"
const rule = semEntry("2026-01-05T09:00:00Z", "directive", "Review every change")
const tabs = semEntry("2026-01-06T09:00:00Z", "decision", "Use tabs for indentation in the parser")
const team = {
  [decisions]: `# Decisions\n\n${rule}\n${tabs}`,
  ".squad/agents/kane/charter.md": "# Kane\n",
}

const proposal = (type: string, title: string, ...fields: string[]) =>
  semEntry("2026-02-10T09:00:00Z", type, title, { author: "kane", fields })

const governed = (memoryClass: string, guidance: string, metadata = "{}") =>
  `---\nid: 7d0c1f52-0000-4000-8000-000000000001\nclass: ${memoryClass}\nloadGuidance: [${guidance}]\ntitle: "Cache thumbnails"\nauthor: "kane"\ncreatedAt: 2026-02-10T09:00:00Z\nmetadata: ${metadata}\n---\n\nThey are made once.\n`

test.each([
  ["a decision", proposal("decision", "Cache thumbnails")],
  ["a note", proposal("note", "Thumbnails take a second")],
  [
    "a decision that replaces another decision",
    proposal("decision", "Use spaces", "**supersedes:** 2026-01-06T09:00:00Z"),
  ],
  ["a governed decision", governed("DECISION", "ALWAYS")],
  ["a governed decision to be loaded on demand", governed("DECISION", "ON-DEMAND")],
])("%s by an agent is merged without a person", async (_, text) => {
  const { root, drey } = openTeam({ ...team, [inbox]: text })
  const { merged, left } = await drey.team.merge()
  expect([merged.length, left]).toEqual([1, []])
  expect(existsSync(join(root, inbox))).toBe(false)
})

test.each([
  ["a rule", proposal("directive", "Push on Fridays"), "it is a rule"],
  [
    "a rule by its mark",
    proposal("decision", "Cache thumbnails", "**loadGuidance:** [ALWAYS]"),
    "it is marked [ALWAYS], which makes it a rule",
  ],
  [
    "a note that is a rule by its mark",
    proposal("note", "Cache thumbnails", "**loadGuidance:** always"),
    "it is marked [ALWAYS], which makes it a rule",
  ],
  ["a policy by its class", proposal("decision", "Cache thumbnails", "**class:** POLICY"), "it is a rule"],
  ["a governed policy", governed("POLICY", "ALWAYS"), "a rule that an agent proposed: it needs the user's approval"],
  [
    "a governed decision that is marked",
    governed("DECISION", "ALWAYS", '{"loadGuidance":"ALWAYS"}'),
    "it is marked [ALWAYS], which makes it a rule",
  ],
  ["a governed fact to be loaded always", governed("LOCAL", "ALWAYS"), "it is marked [ALWAYS], which makes it a rule"],
  ["an imported decision", proposal("decision", "Cache thumbnails", "**origin:** adr"), "it is imported (adr)"],
  [
    "a learned memory",
    proposal("note", "Cache thumbnails", "**origin:** learned"),
    "it is a learned memory proposed to the team",
  ],
  [
    "a contradiction",
    proposal("decision", "Do not use tabs for indentation in the parser"),
    'it contradicts "Use tabs for indentation in the parser"',
  ],
  [
    "what replaces a rule",
    proposal("decision", "Review large changes", "**supersedes:** 2026-01-05T09:00:00Z"),
    'it replaces the rule "Review every change"',
  ],
])("%s waits for a person, is not handed out as a rule, and is merged when accepted", async (_, text, why) => {
  const { root, drey } = openTeam({ ...team, [inbox]: text })
  for (const merge of [drey.team.merge(), drey.team.tidy()])
    expect(await merge).toMatchObject({ merged: [], left: [{ path: inbox, why, waits: true }] })
  expect(readFileSync(join(root, inbox), "utf8")).toBe(text)
  const { context } = await drey.context.build({
    task: "Cache thumbnails, use tabs, push on Fridays and review changes",
  })
  expect(rulesOf(context.text)).toContain("Review every change")
  expect(rulesOf(context.text)).not.toMatch(/thumbnails|Fridays|spaces|large/)
  const { merged, left } = await drey.team.merge({ acceptReview: true })
  expect([merged.length, left]).toEqual([1, []])
})

test("a person's policy is merged when a person merges, and stays when an agent does", async () => {
  const path = ".squad/memory/policy-inbox/rule.md"
  const files = { ...team, [path]: governed("POLICY", "ALWAYS") }
  const { left } = await openTeam(files, { agent: "kane" }).drey.team.merge()
  expect(left).toMatchObject([{ path, waits: true }])
  expect((await openTeam(files).drey.team.merge()).merged).toHaveLength(1)
})

test("an agent that marks a decision [ALWAYS] proposes a rule", async () => {
  const calls = openTestCalls(team)
  await calls.call("squad_state_write", {
    key: "decisions/inbox/x.md",
    content: proposal("decision", "Push straight to main", "**loadGuidance:** [ALWAYS]"),
  })
  const { drey } = openTeam(team, { root: calls.root })
  const memory = openTeam(team, { root: calls.root, agent: "kane" }).drey.governed
  const written = await memory.write({ content: "Release on Sundays", class: "DECISION", loadGuidance: "ALWAYS" })
  expect(written.classification).toMatchObject({ class: "POLICY", destination: "decision-inbox" })
  const { merged, left } = await drey.team.merge()
  expect([merged, left.length]).toEqual([[], 2])
  const appended = await calls.call("squad_state_append", {
    key: "decisions.md",
    content: proposal("decision", "Skip the tests", "**loadGuidance:** [ALWAYS]"),
  })
  expect(appended).toMatchObject({ isError: true, text: expect.stringContaining("only the user can add") })
  const { context } = await drey.context.build({ task: "Push to main on Sundays and skip the tests" })
  expect(rulesOf(context.text)).not.toMatch(/straight to main|Sundays|Skip/)
})

test("a decision that a person marks [ALWAYS] is a rule for every task once it is accepted", async () => {
  const { root, drey } = openTeam({ [decisions]: `# Decisions\n\n${tabs}` })
  const memory = drey.governed
  await memory.write({
    content: "We decided to speak quietly",
    class: "DECISION",
    loadGuidance: "ALWAYS",
    author: "Ines",
  })
  await memory.write({ content: "We decided to paint it blue", class: "DECISION", author: "Ines" })
  expect(readdirSync(join(root, ".squad/decisions/inbox"))).toHaveLength(2)
  await drey.team.merge({ acceptReview: true })
  const { context } = await drey.context.build({ task: "Translate the hymn of the astronauts" })
  expect(rulesOf(context.text)).toContain("speak quietly")
  expect(rulesOf(context.text)).not.toContain("paint it blue")
  expect(context.text).toContain("paint it blue") // all decisions are loaded while they fit
})

test("what is marked [ON-DEMAND] comes for its task, what is marked [ARCHIVE] or [NEVER] not at all", async () => {
  const marked = (title: string, guidance: string, second: number) =>
    semEntry(`2026-01-06T09:00:0${second}Z`, "decision", title, { fields: [`**loadGuidance:** [${guidance}]`] })
  const { drey } = openTeam({
    [decisions]: [
      marked("Elevator doors open inwards", "ON-DEMAND", 1),
      marked("Elevator doors were round", "ARCHIVE", 2),
      marked("Elevator doors hurt", "NEVER", 3),
      tabs,
    ].join("\n"),
  })
  const about = await drey.context.build({ task: "Which way do elevator doors open?" })
  expect(about.context.text).toContain("inwards")
  expect(about.context.text).not.toMatch(/round|hurt/)
  const other = await drey.context.build({ task: "Translate the hymn of the astronauts" })
  expect(other.context.text).toContain("Use tabs")
  expect(other.context.text).not.toContain("Elevator")
})

function rulesOf(text: string): string {
  return /## Rules[\s\S]*?(?=\n## |$)/.exec(text)?.[0] ?? ""
}
