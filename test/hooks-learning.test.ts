import { expect, test } from "vitest"
import { claudeSession } from "./claude-session.ts"
import { type LearningPlace, learningPlace, operations, say, useModel } from "./learning-place.ts"
import { runCli } from "./run-cli.ts"

const rule = "From now on, always format invoices with the ledger printer."

test("a rule that was noted at a hook is not learned a second time from the transcript", async () => {
  const place = learningPlace()
  expect(await promptHook(place, rule)).toContain("Saved as a team rule")
  say(place, rule)
  await place.run("flush")
  expect(await learnedTexts(place)).toEqual([])
})

test("the same words are learned where no hook noted them", async () => {
  const place = learningPlace()
  say(place, rule)
  await place.run("flush")
  expect(await learnedTexts(place)).toEqual(["Always format invoices with the ledger printer."])
})

test("nor is it learned in the words that a model finds for it, while what else was said is", async () => {
  const place = learningPlace()
  await useModel(
    place,
    operations({ text: "Invoices must be formatted by the ledger printer." }),
    operations({ text: "Totals are in cents." }),
  )
  await promptHook(place, rule)
  say(place, rule)
  await place.run("flush")
  expect(await learnedTexts(place)).toEqual([])
  say(place, "Always keep totals in cents.", { session: "other" })
  await place.run("flush")
  expect(await learnedTexts(place)).toEqual(["Totals are in cents."])
})

test("what hooks handed to a session is not learned from its transcript", async () => {
  const place = learningPlace()
  await promptHook(place, rule)
  const told = await hook(place, "SessionStart", { source: "startup", session_id: "next" })
  expect(told).toContain("ledger printer")
  const { additionalContext } = JSON.parse(told).hookSpecificOutput
  const start = new Date(Date.now() - 3_600_000).toISOString()
  const session = claudeSession(place.home, { cwd: place.root, session: "next", start })
  session.hook(additionalContext)
  session.user(`${additionalContext}\n\nPrint the invoices of March`)
  session.run("make invoices", "done")
  await place.run("flush")
  expect(await learnedTexts(place)).toEqual([])
})

test("when a session ends, what it taught is learned in the background, and the hook does not wait for it", async () => {
  const place = learningPlace()
  say(place, "Never edit the generated ledger files by hand.")
  expect(await hook(place, "SessionEnd", { reason: "other" })).toBe("")
  await expect
    .poll(() => learnedTexts(place), { timeout: 60_000 })
    .toEqual(["Never edit the generated ledger files by hand."])
})

async function promptHook(place: LearningPlace, prompt: string): Promise<string> {
  return hook(place, "UserPromptSubmit", { prompt })
}

async function hook({ root, env }: LearningPlace, event: string, fields: object): Promise<string> {
  const input = JSON.stringify({ session_id: "said", cwd: root, ...fields })
  const environment = { ...env, DREY_HOOK_MS: "60000" }
  const { code, stdout } = await runCli(["hook", "claude-code", event], { cwd: root, env: environment, input })
  expect(code).toBe(0)
  return stdout
}

async function learnedTexts(place: LearningPlace): Promise<string[]> {
  const memories = await (await place.learning()).list()
  return memories.map(({ text }) => text)
}
