import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { claudeSession } from "./claude-session.ts"
import { learningPlace, operations, useModel } from "./learning-place.ts"

const cure = "Start the database with make db before npm test."

/** A session in which Kane, a sub-agent, found out how to run the tests. */
async function learnedByKane(files: Record<string, string> = {}) {
  const it = learningPlace({ files })
  await useModel(
    it,
    operations({ kind: "pattern", text: cure, evidence: { source: "pattern_observed", frustration: "none" } }),
  )
  const start = "2026-03-02T09:00:00Z"
  const work = claudeSession(it.home, { cwd: it.root, session: "s1", start })
  work.user("Make the invoice tests pass")
  const kane = claudeSession(it.home, { cwd: it.root, session: "s1", start, agent: "a1b2c3" })
  kane.user("You are Kane, the tester. Always run every test twice. Make the tests pass.")
  kane.run("npm test", "Error: connect ECONNREFUSED 127.0.0.1:5432", 1)
  kane.run("make db", "started")
  kane.run("npm test", "Tests  12 passed (12)")
  kane.assistant("They pass now.")
  const learning = it.learning({ at: "2026-03-20T09:00:00Z" })
  await learning.ingest()
  return { ...it, learning }
}

test("a sub-agent's work is learned from under its own name, and its task is not taken for the user's words", async () => {
  const it = await learnedByKane()
  expect(it.rows("SELECT session_id, agent, parent_session FROM episodes ORDER BY session_id")).toEqual([
    { session_id: "s1", agent: null, parent_session: null },
    { session_id: "s1#a1b2c3", agent: "Kane", parent_session: "s1" },
  ])
  expect(it.rows("SELECT text FROM memories")).toEqual([{ text: cure }])
  const [memory] = await it.learning.list({})
  const { evidence } = await it.learning.explain(memory?.id ?? "")
  expect(evidence).toMatchObject([{ agent: "Kane" }])
})

test("the log lists the user's sessions and not those of sub-agents", async () => {
  const it = await learnedByKane()
  const { sessions } = await it.runJson<{ sessions: { session: string }[] }>("log", "--limit", "9")
  expect(sessions.map(({ session }) => session)).toEqual(["s1"])
})

test("what a member of the team learned is proposed for its history, and for the team if it is not a member", async () => {
  const proposal = async (files: Record<string, string>) => {
    const it = await learnedByKane(files)
    it.change("UPDATE memories SET status = 'active', trust = 2, confidence = 0.9")
    await it.learning.evaluate()
    const inbox = join(it.root, ".squad/decisions/inbox")
    const [name = ""] = readdirSync(inbox).filter((each) => each.endsWith(".md"))
    return { it, text: readFileSync(join(inbox, name), "utf8") }
  }
  const known = await proposal({ ".squad/agents/kane/history.md": "# Kane\n\n## Learnings\n" })
  expect(known.text).toContain("agent:kane")
  expect((await known.it.run("inbox", "accept", "--all")).code).toBe(0)
  expect(readFileSync(join(known.it.root, ".squad/agents/kane/history.md"), "utf8")).toContain("make db")
  expect((await proposal({})).text).not.toContain("agent:")
})
