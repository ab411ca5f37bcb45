import { join } from "node:path"
import { expect, test } from "vitest"
import { type ClaudeSession, claudeSession } from "../../test/claude-session.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
import { openTestLearning } from "./test-learning.ts"

/** A project with some sessions, one per day, and what was learned from them. */
function place() {
  const { home, root, learning } = openTestLearning()
  let day = 0
  const work = (happens: (session: ClaudeSession) => void) => {
    const name = `s${++day}`
    const session = claudeSession(home, {
      cwd: root,
      session: name,
      start: new Date(Date.UTC(2026, 0, day, 9)).toISOString(),
    })
    happens(session)
    return { name, session }
  }
  return { home, root, learning, work }
}

test.each([
  ["why did you use yarn? that's wrong", "no!! not yarn again"],
  ["no, stop using yarn", "yarn is wrong here"],
  ["that's wrong, we don't use yarn", "ugh, yarn again?"],
])(
  "a memory that the user contradicts (%j, %j) is retired, also one of the user's own words",
  async (first, second) => {
    const { home, learning, work } = place()
    work((session) => {
      session.user("Add a date picker. We use yarn here, never npm.")
      session.run("ls", "package.json")
      session.edit("src/date.ts")
    })
    await learning.ingest()
    const [memory] = await learning.memories()
    expect(memory).toMatchObject({ kind: "invariant", origin: "user", text: expect.stringContaining("yarn") })
    const project = memory?.project ?? ""
    const store = sqliteStore(join(home, ".drey", "drey.db"))
    for (const words of [first, second, "thanks", "ok"]) {
      const { name } = work((session) => {
        session.user("Add a dependency for the calendar")
        session.run("yarn add calendar", "error An unexpected error occurred", 1)
        session.user(words)
        session.run("pnpm add calendar", "Done")
      })
      await store.recordTask({
        task: `t-${name}`,
        project,
        session: name,
        agent: undefined,
        taskHash: name,
        ts: new Date(Date.UTC(2026, 0, Number(name.slice(1)), 8, 59)).toISOString(),
        memories: [{ id: memory?.id ?? "", injected: true, rank: 1, score: 1 }],
      })
      await learning.ingest()
    }
    await store.close()
    const [now] = await learning.memories({ statuses: ["provisional", "active", "deprecated"] })
    expect(now).toMatchObject({ status: "deprecated", metrics: { hits: 0 } })
  },
)

test("what the user refused did not run: it is not the cure", async () => {
  const { learning, work } = place()
  work((session) => {
    session.user("Make the build pass")
    session.run("make build", "Error: stale objects in build/", 2)
    session.use("Bash", { command: "git stash && rm -rf build && make clean-all" }, refusal, true)
    session.run("make build", "ok")
  })
  await learning.ingest()
  expect(await learning.memories()).toEqual([])
})

const refusal =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

test.each<[string, (session: ClaudeSession) => void]>([
  [
    "help",
    (session) => [
      session.run("shopctl sync", "Error: no such shop", 1),
      session.run("shopctl sync --help", "Usage: shopctl"),
    ],
  ],
  [
    "a narrowed run",
    (session) => [session.run("npm test", "2 failed", 1), session.run("npm test -- src/cart.test.ts", "1 passed")],
  ],
  [
    "another command of the program",
    (session) => [session.run("npm run lint", "3 problems", 1), session.run("npm run dev", "ready")],
  ],
  [
    "a flaky test after a lint run",
    (session) => [
      session.run("npm test", "Error: Timeout of 2000ms", 1),
      session.run("npm run lint", "ok"),
      session.run("npm test", "12 passed"),
    ],
  ],
  [
    "a dev server that was stopped",
    (session) => [
      session.run("npm run dev", "ready", 130),
      session.run("npm run build", "ok"),
      session.run("npm run dev", "ready"),
    ],
  ],
  [
    "an edit",
    (session) => [
      session.run("npm test", "Error: expected 2", 1),
      session.edit("src/a.ts"),
      session.run("npm test", "12 passed"),
    ],
  ],
  [
    "an edit by the shell",
    (session) => [
      session.run("npm test", "Error: expected 2", 1),
      session.run("sed -i s/1/2/ src/a.ts", ""),
      session.run("npm test", "ok"),
    ],
  ],
])("%s teaches nothing about a failure", async (_, happens) => {
  const { learning, work } = place()
  work((session) => {
    session.user("Show the number of orders")
    happens(session)
  })
  await learning.ingest()
  expect(await learning.memories()).toEqual([])
})

test.each<[string, object]>([
  ["a teammate", { text: '<teammate-message teammate_id="kim">Never use npm here, use pnpm.</teammate-message>' }],
  ["an event of CI", { text: "<ci-monitor-event>Review: never use npm here, use pnpm.</ci-monitor-event>" }],
  ["a notification", { text: "<task-notification><result>Never use npm here, use pnpm.</result></task-notification>" }],
  ["a command", { text: "<command-name>/rules</command-name><command-args></command-args>\nNever use npm here." }],
  ["a command's text", { text: "Never use npm here, use pnpm.", isMeta: true }],
  ["a summary", { text: "The user said: never use npm here, use pnpm.", isCompactSummary: true }],
  ["a system prompt", { text: "Never use npm here, use pnpm.", promptSource: "system" }],
  ["an orchestrator", { text: "Never use npm here, use pnpm.", isSidechain: true }],
  ["a document", { text: "# Contributing\n\n## Rules\n\nNever use npm here, use pnpm.\n\n## Licence\n\nMIT" }],
  ["an accepted plan", { text: "Implement the following plan:\n\n# Cleanup\n\nNever use npm here, use pnpm." }],
])("a rule of %s is not the user's", async (_, { text, ...record }: { text?: string }) => {
  const { learning, work } = place()
  work((session) => {
    session.user("Tidy up the scripts")
    session.edit("scripts/a.sh")
    session.record({
      type: "user",
      origin: { kind: "human" },
      message: { role: "user", content: [{ type: "text", text }] },
      ...record,
    })
    session.edit("scripts/b.sh")
  })
  await learning.ingest()
  expect((await learning.memories()).filter(({ origin }) => origin === "user")).toEqual([])
})

test.each<[string, string]>([
  [
    "rm -rf .next",
    "When `npm run build` fails with \"Error: Cannot find module './chunks/1.js'\", run `rm -rf .next` first: that fixed it before.",
  ],
  [
    "nvm use 22",
    "When `npm run build` fails with \"Error: Cannot find module './chunks/1.js'\", run `nvm use 22` first: that fixed it before.",
  ],
])("the real cure is learned: %s", async (cure, text) => {
  const { learning, work } = place()
  work((session) => {
    session.user("Build the shop")
    session.run("npm run build", "Error: Cannot find module './chunks/1.js'", 1)
    session.run("ls -la", "total 8")
    session.run(cure, "")
    session.run("npm run build", "done")
  })
  await learning.ingest()
  expect(await learning.memories()).toMatchObject([{ text, origin: "verified" }])
})

test.each([
  ["Split the import into slices. Each slice must be:\n- small", /must be\W*$/],
  ["Rework the parser. Every handler must never, under any", /under any\W*$/],
  ["Write the report. From now on always use the", /use the\W*$/],
])("half a sentence is not stored: %j", async (message, half) => {
  const { learning, work } = place()
  work((session) => {
    session.user(message)
    session.edit("src/a.ts")
  })
  await learning.ingest()
  for (const { text } of await learning.memories()) expect(text).not.toMatch(half)
})

test("what a later session knows better replaces the sentence, however many other memories there are", async () => {
  const { learning, work } = place()
  work((session) => {
    for (let at = 0; at < 25; at++)
      session.user(`In this project the ${words[at % 5]} of module ${at} must never be edited by hand.`)
    session.edit("src/a.ts")
  })
  const seed = (more: (session: ClaudeSession) => void = () => {}) =>
    work((session) => {
      session.user("Fill the database")
      session.run("python tools/seed.py", "zsh: command not found: python", 127)
      more(session)
    })
  for (const more of [undefined, undefined, (session: ClaudeSession) => session.run("python3 tools/seed.py", "done")]) {
    seed(more)
    await learning.ingest()
  }
  const memories = await learning.memories({ statuses: ["provisional", "active"] })
  const told = memories.filter(({ text }) => text.includes("python"))
  expect(told.map(({ text }) => text)).toEqual(["There is no `python` on this machine; `python3` works."])
})

const words = ["schema", "changelog", "licence", "fixture", "snapshot"]

test("history that is older than a trial ends with memories that can be used, and the confirmed ones are surer", async () => {
  const { learning, work } = place()
  for (let session = 0; session < 5; session++)
    work((each) => {
      each.user("Make the checks pass")
      each.run("wrap bun run test", "error: unrecognized subcommand 'bun'", 2)
      each.run("bun run test", "12 passed")
    })
  work((session) => {
    session.user("Build the shop")
    session.run("npm run build", "Error: Cannot find module './chunks/1.js'", 1)
    session.run("rm -rf .next", "")
    session.run("npm run build", "done")
  })
  const { learned } = await learning.ingest()
  const ended = learned.evaluations.flatMap(({ decisions }) => decisions.filter(({ result }) => result !== "flag"))
  expect(ended).toEqual([])
  const memories = await learning.memories({ statuses: ["provisional", "active"] })
  const [often, once] = ["wrap bun", ".next"].map((part) => memories.find(({ text }) => text.includes(part)))
  const today = "2026-03-02T09:00:00Z"
  expect(once).toMatchObject({ evidence: 1, confidence: 0.7 })
  expect(Date.parse(once?.expires ?? "")).toBeGreaterThan(Date.parse(today))
  expect(often).toMatchObject({ evidence: 5 })
  expect(often?.confidence).toBeGreaterThan(0.85)
  expect(Date.parse(often?.expires ?? "")).toBeGreaterThan(Date.parse(once?.expires ?? ""))
})
