import { expect, test } from "vitest"
import type { TranscriptEvent } from "../../formats/client-events.ts"
import { openNoteTaker } from "./work-notes.ts"

/** A conversation, line by line. */
function talk() {
  const events: TranscriptEvent[] = []
  const put = (event: Partial<TranscriptEvent> & Pick<TranscriptEvent, "role" | "kind">) => {
    const line = events.length + 1
    const ts = new Date(Date.parse("2026-03-10T10:00:00Z") + line * 1000).toISOString()
    events.push({ id: `e${line}`, session: "s", ts, line, text: "", ...event })
  }
  const self = {
    user: (text: string, id?: string) => put({ role: "user", kind: "message", text, ...(id ? { id } : {}) }),
    agent: (text: string) => put({ role: "assistant", kind: "message", text }),
    edit: (file: string, isError = false) =>
      put({ role: "tool", kind: "tool_result", tool: "Edit", action: "edit", files: [file], text: "ok", isError }),
    run: (command: string, exitCode: number, text = "") =>
      put({ role: "tool", kind: "tool_result", tool: "Bash", action: "run", command, exitCode, text }),
    notes() {
      const taker = openNoteTaker("claude-code", "s", "/app")
      for (const event of events) taker.take(event)
      return taker.notes()[0]
    },
    tried: () =>
      self.notes()?.attempts.map(({ fields }) => [fields.result, fields.description, fields.commands] as const),
  }
  return self
}

test("the checks after an edit judge it, together; the next edit is the next attempt", () => {
  const work = talk()
  work.agent("Now let me add a retry to the upload:")
  work.edit("src/upload.ts")
  work.run("npm run lint", 0)
  work.run("npm test", 1, "Error: expected 3 calls\nTests: 1 failed, 2 passed")
  work.edit("src/upload.ts")
  work.run("npm test", 0, "Tests: 3 passed, 3 total")
  work.run("npm run lint", 0)
  expect(work.tried()).toEqual([
    ["failure", "Add a retry to the upload (src/upload.ts)", ["npm run lint", "npm test"]],
    ["success", "Edit src/upload.ts", ["npm test", "npm run lint"]],
  ])
})

test("a wrong call is overcome by the right one; a failed test is not overcome by a narrower run", () => {
  const work = talk()
  work.edit("src/a.ts")
  work.run("rtk npm test", 2, "error: unrecognized subcommand 'npm'")
  work.run("npm test", 0, "Tests: 3 passed, 3 total")
  work.edit("src/b.ts")
  work.run("npm test", 1, "Tests: 1 failed, 2 passed")
  work.run("npm test -- --grep Sum", 0, "Tests: 1 passed, 1 total")
  expect(work.tried()?.map(([result]) => result)).toEqual(["success", "partial"])
})

test("another command is an attempt when it fails, and again when it passes; looking around is none", () => {
  const work = talk()
  work.run("cat missing.txt", 1, "No such file")
  work.run("git status", 0)
  work.run("git push", 1, "error: failed to push some refs")
  work.run("git pull --rebase", 0)
  work.run("git push", 0)
  work.run("./dist/app --bad", 1, "Error: unknown option") // what was built may be meant to fail
  work.run("node --version", 1, "node: not found")
  expect(work.tried()?.map(([result, , commands]) => [result, commands])).toEqual([
    ["failure", ["git push"]],
    ["success", ["git push"]],
  ])
})

test("without a check, the user's words judge an edit; a refused edit is none; a commit past the hooks proves nothing", () => {
  const work = talk()
  work.edit("src/refused.ts", true)
  work.edit("docs/a.md")
  work.user("Thanks, that works!")
  work.edit("docs/b.md")
  work.run('git commit --no-verify -m "docs"', 0)
  work.user("Next: describe the export")
  work.edit("docs/c.md")
  work.run('git commit -m "docs: describe"', 0)
  work.edit("docs/d.md")
  expect(work.tried()).toMatchObject([
    ["success", "Edit docs/a.md", []],
    ["partial", "Edit docs/b.md", []],
    ["success", "Edit docs/c.md", ['git commit -m "…"']],
    ["in_progress", "Edit docs/d.md", []],
  ])
})

test.each([
  ["The root cause is that `sum` adds floats before it rounds them.", "failure_cause"],
  ["The build fails because `tsc` reads the old folder.", "failure_cause"],
  ["Das Problem ist, dass `sum` vor dem Runden addiert.", "failure_cause"],
  ["All other routes use the helper `withSession` in src/session.ts.", "code_pattern"],
  ["`Client.send()` returns null when the queue in src/queue.ts is full.", "api_surface"],
  ["The `orders` table has a column `paid_at` that is never filled.", "data_model"],
  ["Let me check whether the root cause is in `sum`.", undefined],
  ["The problem might be that `sum` rounds too early, I think.", undefined],
  ["I've added a retry because the upload fails sometimes.", undefined],
  ["Is the problem that `sum` adds floats before rounding them?", undefined],
  ["`listSessions` will take an optional `sessionId` filter then.", undefined],
])("%s: %s", (said, type) => {
  const work = talk()
  work.agent(`Some words first. ${said} And more after that.`)
  const found = work
    .notes()
    ?.discoveries.map(({ fields, source }) => ({ type: fields.type, quote: fields.quote, source }))
  expect(found).toEqual(type === undefined ? [] : [{ type, quote: said, source: "claude-code/s/1.1" }])
})

test("answers are decisions, in words that stand alone; another request or question is not", () => {
  const work = talk()
  const ask = (question: string, reply: string) => {
    work.agent(`The totals are right.\n\n${question}`)
    work.user(reply)
  }
  ask("Should I also change the file format?", "yes")
  ask("Should I also change the file format?", "No, the file format stays, other programs read it.")
  ask("Want me to commit this?", "What does the linter say?")
  ask("What is next?", "The login page lost its footer, get that back.")
  work.user("Which database?\nPostgreSQL", "ask-1:answer")
  expect(work.notes()?.decisions.map(({ fields }) => fields.description)).toEqual([
    "Should I also change the file format? yes",
    "No, the file format stays, other programs read it.",
    "Which database? PostgreSQL",
  ])
})
