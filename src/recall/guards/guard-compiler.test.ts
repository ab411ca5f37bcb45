import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { builtInPolicy } from "../../formats/policy.ts"
import { sqliteIndex } from "../../index/sqlite-index.ts"
import type { Memory } from "../../memories/memory.ts"
import { testMemory } from "../../memories/review/test-memory.ts"
import { itemOfMemory } from "../payload.ts"
import { boundTokens } from "../token-count.ts"
import { compileGuards } from "./guard-compiler.ts"
import { matchGuards } from "./guard-match.ts"

let made = 0
const learned = (text: string, given: Partial<Memory> = {}) =>
  testMemory(`m-${String(++made).padStart(16, "0")}`, { text, confidence: 0.9, ...given })

async function compile(memories: readonly Memory[], ask: string[] = [], shown: { title?: string } = {}) {
  const index = await sqliteIndex(join(makeRepository({}), "index.db"))
  onTestFinished(() => index.close())
  await index.update([
    { key: "learned", stamp: "1", items: memories.map((memory) => ({ ...itemOfMemory(memory), ...shown })) },
  ])
  const settings = builtInPolicy.retrieval
  const parts = {
    index,
    embedNow: undefined,
    embedDeep: undefined,
    countTokens: boundTokens,
    now: () => new Date("2026-03-10T00:00:00Z"),
    learned: { settings, useCounts: async () => new Map<string, number>() },
  }
  return compileGuards(parts, { attempts: [], ask })
}

const rule = "Never run `terraform apply` yourself."

test.each<[string, Partial<Memory>, boolean]>([
  ["a guard on trial", { kind: "guard", polarity: -1, status: "provisional", origin: "verified" }, true],
  ["a person's own words on trial", { kind: "invariant", status: "provisional", origin: "user" }, true],
  ["what was inferred and is on trial", { kind: "pattern", status: "provisional", origin: "agent" }, false],
  ["what was inferred and has proved itself", { kind: "pattern", status: "active", origin: "agent" }, true],
  ["what came from outside", { kind: "pattern", status: "active", origin: "import" }, false],
  ["a mere note", { kind: "note", status: "active", origin: "user" }, false],
  ["what has expired", { kind: "guard", polarity: -1, origin: "user", expires: "2026-03-09T00:00:00Z" }, false],
  ["what is not sure enough yet", { kind: "invariant", origin: "user", confidence: 0.5, evidence: 1 }, false],
])("%s warns: %j %j", async (_, given, expected) => {
  expect(await compile([learned(rule, given)])).toHaveLength(expected ? 1 : 0)
})

test("a rule for a folder warns only about work there", async () => {
  const local: Partial<Memory> = {
    kind: "guard",
    polarity: -1,
    origin: "user",
    scope: "repo_path",
    pathPrefix: "src/db",
  }
  const guards = await compile([learned("Never use `console.log`.", local)])
  const writing = (path: string) => ({ tool: "Edit", command: undefined, paths: [path], text: "console.log(1)" })
  expect(matchGuards(guards, writing("src/db/a.ts"))).toHaveLength(1)
  expect(matchGuards(guards, writing("src/web/a.ts"))).toEqual([])
})

test("a command that is known to fail gives a warning, unless it is run the way that works", async () => {
  const text =
    '`npm test` fails with "Cannot use import statement"; `NODE_OPTIONS=--experimental-vm-modules npm test` works.'
  const guards = await compile([learned(text, { kind: "pattern", status: "active", origin: "verified" })])
  const running = (command: string) => ({ tool: "Bash", command, paths: [], text: undefined })
  expect(matchGuards(guards, running("cd web && npm test"))).toHaveLength(1)
  expect(matchGuards(guards, running("NODE_OPTIONS=--experimental-vm-modules npm test"))).toEqual([])
  expect(matchGuards(guards, running("npm run build"))).toEqual([])
})

test("a guard is set to ask by its id or its handle", async () => {
  const guard = learned(rule, { kind: "guard", polarity: -1, origin: "user" })
  for (const name of [guard.id, `m:${guard.id.slice(2, 8)}`])
    expect(await compile([guard], [name])).toMatchObject([{ ask: true }])
  expect(await compile([guard], ["m:ffffff"])).toMatchObject([{ ask: false }])
})

test("rules that no tool call would certainly violate are left to the contexts", async () => {
  const rules = [
    "Never put business logic in the main function.",
    "Always write dates in UTC.",
    "Never trust user input.",
  ]
  expect(await compile(rules.map((text) => learned(text, { kind: "invariant", origin: "user" })))).toEqual([])
})

test("a folder at the top of the repository is a folder, and its rule applies only there", async () => {
  const given: Partial<Memory> = { kind: "guard", polarity: -1, origin: "user" }
  const editing = (path: string, text = "") => ({ tool: "Edit", command: undefined, paths: [path], text })
  for (const rule of [
    "Do not edit anything in `dist/`.",
    "Never touch dist/ by hand.",
    "Never change files in dist/**.",
  ]) {
    const guards = await compile([learned(rule, given)])
    expect(matchGuards(guards, editing("dist/a/b.js")), rule).toHaveLength(1)
    expect(matchGuards(guards, editing("src/distance.ts")), rule).toEqual([])
  }
  const inFolder = await compile([learned("Never use `console.log` in `src/`.", given)])
  expect(matchGuards(inFolder, editing("src/a.ts", "console.log(1)"))).toHaveLength(1)
  expect(matchGuards(inFolder, editing("scripts/a.ts", "console.log(1)"))).toEqual([])
})

test("a title truncated in the middle of a rule adds nothing to the text", async () => {
  const text = "Never run yarn install here. Never edit src/generated/api.ts. Never run git push --force."
  const memory = learned(text, { kind: "guard", polarity: -1, origin: "user" })
  const guards = await compile([memory], [], { title: text.slice(0, text.indexOf(" --force")) })
  const running = (command: string) => ({ tool: "Bash", command, paths: [], text: undefined })
  expect(matchGuards(guards, running("git push --force"))).toHaveLength(1)
  expect(matchGuards(guards, running("git push"))).toEqual([])
})
