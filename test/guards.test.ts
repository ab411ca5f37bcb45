import { appendFileSync, existsSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { ToolCall } from "../src/formats/client-events.ts"

import { type GuardsFile, guardsPath, matchGuards } from "../src/recall/guards/guard-match.ts"
import { claudeSession } from "./claude-session.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { writeFiles } from "./run-cli.ts"

const decisions = ".squad/decisions.md"
const at = "2026-03-02T09:00:00Z"
const never = semEntry("2026-02-15T14:32:15Z", "directive", "Never publish packages by hand; CI does it")

function running(command: string): ToolCall {
  return { tool: "Bash", command, paths: [], text: undefined }
}

function compiledPath({ env, root }: LearningPlace): string {
  return guardsPath(env.DREY_HOME, realpathSync(join(root, ".squad")))
}

function compiled(place: LearningPlace): GuardsFile["guards"] {
  return (JSON.parse(readFileSync(compiledPath(place), "utf8")) as GuardsFile).guards
}

/** A person says twice what must not be done, so that it is learned beyond doubt. */
async function learnFromWords(place: LearningPlace, words: string, name = "said") {
  const session = claudeSession(place.home, { cwd: place.root, session: name, start: "2026-03-01T10:00:00Z" })
  session.user(words)
  session.edit("src/checkout.ts")
  session.run("npm test", " Tests  4 passed (4)")
  session.user("thanks, that works")
  const learning = await place.learning({ at })
  await learning.ingest()
  await learning.flush()
  return (await learning.list()).map(({ id, text }) => ({ id, text }))
}

test("rules of the team and learned guards are compiled into a file that only the user can read", async () => {
  const place = learningPlace({ files: { [decisions]: never } })
  const [memory] = await learnFromWords(place, "never push to main, open a pull request instead")
  await place.open({ at }).context.compileGuards()
  expect(statSync(compiledPath(place)).mode & 0o777).toBe(0o600)
  const guards = compiled(place)
  expect(guards.map(({ source, ask }) => [source, ask])).toEqual([
    ["team", false],
    ["learned", false],
  ])
  expect(matchGuards(guards, running("npm publish")).map(({ text }) => text)).toEqual([
    "Never publish packages by hand; CI does it at length.",
  ])
  expect(matchGuards(guards, running("git push origin main")).map(({ id }) => id)).toEqual([memory?.id])
  expect(matchGuards(guards, running("npm test"))).toEqual([])
})

test("while nothing changes the file stays, and what is gone from its sources is gone from it", async () => {
  const place = learningPlace({ files: { [decisions]: never } })
  const drey = place.open({ at })
  await drey.context.compileGuards()
  const first = statSync(compiledPath(place)).mtimeMs
  await drey.context.compileGuards()
  expect(statSync(compiledPath(place)).mtimeMs).toBe(first)
  appendFileSync(join(place.root, decisions), `\n${semEntry("2026-02-16T10:00:00Z", "directive", "Never force-push")}`)
  await drey.context.compileGuards()
  expect(compiled(place)).toHaveLength(2)
  writeFileSync(join(place.root, decisions), "")
  await drey.context.compileGuards()
  expect(compiled(place)).toEqual([])
})

test("a damaged or lost file is rebuilt", async () => {
  const place = learningPlace({ files: { [decisions]: never } })
  const drey = place.open({ at })
  await drey.context.compileGuards()
  for (const damage of [() => writeFileSync(compiledPath(place), "{"), () => rmSync(compiledPath(place))]) {
    damage()
    await drey.context.compileGuards()
    expect(compiled(place)).toHaveLength(1)
  }
})

test("only the user's own policy makes a guard ask", async () => {
  const place = learningPlace({ files: { [decisions]: never } })
  const drey = place.open({ at })
  await drey.context.compileGuards()
  const id = compiled(place)[0]?.id
  const policy = `[guards]\nask = ["${id}"]\n`
  writeFiles(place.root, { ".squad/memory/memory_policy.toml": policy })
  await drey.context.compileGuards()
  expect(compiled(place)[0]?.ask).toBe(false)
  writeFileSync(join(place.env.DREY_HOME, "memory_policy.toml"), policy)
  await drey.context.compileGuards()
  expect(compiled(place)[0]?.ask).toBe(true)
})

test("a failed attempt warns about the same command until its session has ended", async () => {
  const place = learningPlace()
  const drey = place.open()
  const session = await drey.sessions.start({ task: "Mend the lockfile" })
  const commands = ["npm audit fix --force", "npm test"]
  const description = "Let npm mend it after `git reset --hard`"
  const { attempt } = await session.startAttempt(undefined, { description, commands })
  await session.finishAttempt(attempt.id, { result: "failure", error: "ERESOLVE unable to resolve dependency tree" })
  await drey.context.compileGuards()
  const guards = compiled(place)
  expect(matchGuards(guards, running("npm audit fix --force")).map(({ source }) => source)).toEqual(["session"])
  expect(matchGuards(guards, running("git reset --hard HEAD~1"))).toHaveLength(1)
  expect(matchGuards(guards, running("npm test"))).toEqual([]) // is run again after every change
  const warning = await drey.context.forToolCall(guards, running("npm audit fix --force"))
  expect(warning?.text).toContain("> Let npm mend it")
  await session.end()
  await drey.context.compileGuards()
  expect(compiled(place)).toEqual([])
})

test("a warning names the rule, its source and its handle, and is recorded for the session", async () => {
  const place = learningPlace({ files: { [decisions]: never } })
  const [memory] = await learnFromWords(place, "never push to main, open a pull request instead")
  const drey = place.open({ at })
  await drey.context.compileGuards()
  const guards = compiled(place)
  const asking = { client: "claude-code", session: "s-1" }
  const published = await drey.context.forToolCall(guards, running("npm publish"), asking)
  expect(published?.text).toMatch(/^<drey-context task="t-[0-9a-f]{12}">\n/)
  expect(published?.text).toContain(
    "directive · 2026-02-15\n> Wren · .squad/decisions.md:1\n> Never publish packages by hand; CI does it",
  )
  const pushed = await drey.context.forToolCall(guards, running("git push origin main"), asking)
  expect(pushed?.text).toContain(`[m:${memory?.id.slice(2, 8)}] guard · on trial · the user's words`)
  expect(pushed?.text.split("\n").length).toBeLessThan(8)
  expect(pushed?.guards.map(({ id }) => id)).toEqual([memory?.id])
  expect(await drey.context.forToolCall(guards, running("ls"), asking)).toBeUndefined()

  const [last, first] = await drey.context.recorded("s-1")
  expect(first).toMatchObject({ client: "claude-code", session: "s-1", occasion: "tool call" })
  expect(last?.items).toMatchObject([{ id: memory?.id, rank: 1, reason: "advises against a tool call" }])
  const { uses } = await drey.memories.explain(memory?.id ?? "")
  expect(uses).toMatchObject([{ session: "s-1", injected: true }])
})

test("what was forgotten since the file was compiled does not warn any more", async () => {
  const place = learningPlace()
  const [memory] = await learnFromWords(place, "never push to main, open a pull request instead")
  const drey = place.open({ at })
  await drey.context.compileGuards()
  expect(existsSync(compiledPath(place))).toBe(true)
  await drey.memories.forget([memory?.id ?? ""])
  expect(await drey.context.forToolCall(compiled(place), running("git push origin main"))).toBeUndefined()
})
