import { expect, test } from "vitest"
import { commitMade, summarizeEpisode, withoutWords } from "./episode-summary.ts"
import { answers, edits, reads, runs, says, testEvents } from "./test-events.ts"

test("a summary has the user's words whole, the agent's answers, commands by their latest result, and files", () => {
  const long = `No, that's wrong: ${"the key is right, but ".repeat(20)}keep-latest is wrong, the fuller record wins.`
  const events = testEvents(
    says("Merge the contacts"),
    answers("I look at it."),
    ...reads("src/sync.ts"),
    ...runs("npm test", 1, "AssertionError: expected 1 to be 2"),
    ...edits("src/merge.ts"),
    ...runs("npm test", 0, "all passed"),
    answers("Done: the latest record is kept."),
    says(long),
    answers("Changed."),
  )
  const summary = summarizeEpisode(events)
  expect(summary.said.map(({ by, text }) => `${by}: ${text}`)).toEqual([
    "user: Merge the contacts",
    "agent: Done: the latest record is kept.",
    `user: ${long}`,
    "agent: Changed.",
  ])
  expect(summary.tried).toMatchObject([{ command: "npm test", result: "passed" }])
  expect(summary).toMatchObject({ edited: ["src/merge.ts"], read: ["src/sync.ts"], commits: [] })
  const stored = JSON.stringify(withoutWords(testEvents(answers(`${"I look at it. ".repeat(30)}Decided.`))))
  expect(stored).not.toContain("words")
})

test("a secret in a long message is in neither the summary nor the events", () => {
  const token = `ghp_${"a1B2".repeat(9)}`
  const events = testEvents(
    says(`${"Please look at the deployment. ".repeat(12)} The token is ${token}. ${"Thanks. ".repeat(9)}`),
  )
  expect(JSON.stringify([summarizeEpisode(events), events])).not.toContain(token)
})

test("the beginning and the end of a very long conversation are kept", () => {
  const message = (at: number) => says(`message ${at}: ${"words of a user ".repeat(100)}`)
  const { said } = summarizeEpisode(testEvents(...Array.from({ length: 40 }, (_, at) => message(at))))
  const kept = said.map(({ text }) => /message (\d+)/.exec(text)?.[1])
  expect(kept[0]).toBe("0")
  expect(kept.at(-1)).toBe("39")
  expect(said.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(8000)
})

test.each([
  ['git commit -m "fix: retry twice"', "[main 1a2b3c4] fix: retry twice\n 1 file changed", "1a2b3c4 fix: retry twice"],
  ["git add . && git commit -qm 'docs: say why'", "", "- docs: say why"],
  ["git commit -m \"$(cat <<'EOF'\nfeat: carry on\n\nBody\nEOF\n)\"", "", "- feat: carry on"],
  ["git -C /work/shop merge main", "[main (root-commit) 1a2b3c4d] merge", "1a2b3c4d merge"],
  ["git log --grep commit", "[main 1a2b3c4] not made here", undefined],
])("the commit of %j is known", (command, output, made) => {
  expect(commitMade(command, output)).toBe(made)
})

test("an episode knows the commits made in it, and not those that failed", () => {
  const events = testEvents(
    says("Commit it"),
    ...runs("git commit -m 'one'", 1, "nothing to commit"),
    ...runs("git commit -m 'one'", 0, "[main 1a2b3c4] one"),
  )
  expect(summarizeEpisode(events).commits).toMatchObject([{ id: "1a2b3c4", subject: "one" }])
})
