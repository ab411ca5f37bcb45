import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { makeFolder } from "../disk/atomic-write.ts"
import { openTestLearning } from "./test-learning.ts"

const failing = { kind: "command", command: [process.execPath, "-e", "process.exit(1)"] } as const

function setUserPolicy(home: string, policy: string): void {
  makeFolder(join(home, ".drey"))
  writeFileSync(join(home, ".drey", "memory_policy.toml"), policy)
}

/** Some sessions in which something fails so often, two hours before now. */
function work(home: string, cwd: string, failures: readonly number[]): void {
  for (const [at, errors] of failures.entries()) {
    const session = claudeSession(home, { cwd, session: `s${at}`, start: `2026-03-0${at + 1}T06:00:00Z` })
    session.user(`mend the test of page ${at}`)
    for (let run = 0; run < errors; run++) session.run("npm test", "Error: expected 2", 1)
    session.edit(`src/page-${at}.ts`)
    session.run("npm test", "1 passed")
  }
}

test("an episode is parked after as many attempts as the user's policy says", async () => {
  const { home, root, learning } = openTestLearning({ writer: failing })
  setUserPolicy(home, "[writer]\nmax_attempts = 2\n")
  work(home, root, [1])
  const attempt = async () => (await learning.ingest()).learned.postponed.map(({ parked }) => parked)
  expect([await attempt(), await attempt(), await attempt()]).toEqual([[false], [true], []])
  expect((await learning.status()).counts.episodes).toMatchObject({ waiting: 0, parked: 1 })
})

test("the baseline consists of as many episodes as the policy says", async () => {
  const { home, root, learning } = openTestLearning()
  setUserPolicy(home, "[baseline]\nwindow = 1\n")
  work(home, root, [5, 1])
  await learning.ingest()
  expect((await learning.status()).baseline).toMatchObject({ episodes: 1, errors: 1 })
})

test("an invalid writer stops only what needs one", async () => {
  const problem = "writer.kind in /home/ines/.drey/config.json is not one of rules, model"
  const { home, root, learning } = openTestLearning({ writer: { kind: "unusable", problem } })
  work(home, root, [1])
  await expect(learning.ingest()).rejects.toThrow(problem)
  expect(await learning.status()).toMatchObject({ writer: "none", writerProblem: problem })
})

test("what fails in the same way in several sessions is learned, however the history is read", async () => {
  const learnedFrom = async (all: boolean) => {
    const { home, root, learning } = openTestLearning()
    const told: number[] = []
    for (const day of [1, 2, 3]) {
      const session = claudeSession(home, { cwd: root, session: `s${day}`, start: `2026-02-0${day}T06:00:00Z` })
      session.user(`show page ${day}`)
      session.run("npm test", "Error: Timeout of 2000ms exceeded", 1)
      session.run("npm test", "12 passed")
      if (!all) told.push((await learning.ingest()).learned.outcomes.length)
    }
    if (all) await learning.ingest()
    return { told, memories: await learning.memories() }
  }
  const live = await learnedFrom(false)
  expect(live.told).toEqual([0, 1, 1]) // the third session is more evidence
  expect(live.memories).toMatchObject([{ text: expect.stringContaining("sometimes fails"), evidence: 3 }])
  const replayed = await learnedFrom(true)
  expect(replayed.memories.map(({ text, evidence }) => [text, evidence])).toEqual(
    live.memories.map(({ text, evidence }) => [text, evidence]),
  )
})
