import type { Drey } from "../../../src/drey.ts"
import { type ClaudeSession, claudeSession } from "../../claude-session.ts"

type Place = { drey: Drey; home: string; at: (hours: number) => void; now: number }

/** What the sample's agents were corrected in, and the tasks in which that was at hand later. */
const lessons = [
  {
    task: "Add the currency package to the payment page",
    fails: { command: "npm install currency", error: 'npm ERR! Unsupported URL Type "workspace:": workspace:*' },
    correction: "no, we use pnpm in this repository, never npm",
    works: "pnpm add currency",
    later: [
      "Install the date package for the departures page",
      "Add the qr package to the tickets",
      "Install zod and check the booking form with it",
    ],
  },
  {
    task: "Show the departures of tomorrow on the first page",
    fails: {
      command: "pnpm test departures",
      error: "AssertionError: expected 2026-03-29T02:30 to equal 2026-03-29T00:30Z",
    },
    correction: "Dates must always be stored in UTC",
    works: "pnpm test departures",
    later: ["Show when a departure was cancelled", "Store the date of a refund"],
  },
  {
    task: "Rename the fields of the tariff service",
    fails: { command: "pnpm check", error: "error TS2339: Property 'price' does not exist on type 'Tariff'" },
    correction: "No, never edit the generated files in src/proto, change tariff.proto and run pnpm generate",
    works: "pnpm generate",
    later: ["Add a season to the tariff service"],
  },
  {
    task: "Bring the refund page up to the new design",
    fails: { command: "pnpm lint", error: "src/refunds/page.tsx: Unexpected nested ternary" },
    correction: "I prefer early returns over nested conditions",
    works: "pnpm lint",
    later: [],
  },
  {
    task: "Let the crew search bookings by name",
    fails: { command: "pnpm test bookings", error: "Error: connect ECONNREFUSED 127.0.0.1:5432" },
    correction: "Always start the database with pnpm db:up before the tests of the API",
    works: "pnpm db:up",
    later: ["Add a test for the API of the bookings", "Test the API that cancels a booking"],
  },
  {
    task: "Write a test for a card that the bank refuses",
    fails: { command: "pnpm test payments", error: "AssertionError: the live API was called" },
    correction: "No, never call the live API of the bank from a test",
    works: "pnpm test payments",
    later: [],
  },
]

/** Weeks of work: corrections that are learned from, and tasks that went better for it. */
export async function workForWeeks(place: Place): Promise<void> {
  const learning = place.drey.memories
  for (const [number, lesson] of lessons.entries()) {
    const hours = (40 - number * 3) * 24
    place.at(hours)
    const session = openSession(place, `lesson-${number}`, hours)
    session.user(lesson.task)
    session.assistant("I'll look at the code first.")
    session.run(lesson.fails.command, lesson.fails.error, 1)
    session.run(lesson.fails.command, lesson.fails.error, 1)
    session.user(lesson.correction)
    session.edit("src/page.ts")
    session.run(lesson.works, "Done in 2.1s")
    session.run("pnpm test", " Tests  12 passed (12)")
    session.user("thanks, that works")
    await learning.ingest()
    await learning.flush()
  }
  for (const [number, { lesson, task }] of laterTasks().entries()) {
    const hours = (24 - number * 3) * 24
    place.at(hours)
    const { context } = await place.drey.context.build({
      task,
      agent: agents[number % agents.length],
      client: "claude-code",
    })
    const session = openSession(place, `later-${number}`, hours)
    session.user(task)
    session.hook(context.text)
    session.run(lesson.works, "Done in 1.4s")
    session.edit("src/page.ts")
    session.run("pnpm test", " Tests  14 passed (14)")
    session.user("thanks, that works")
    await learning.ingest()
    await learning.flush()
  }
  place.at(0)
  await learning.evaluate()
}

const agents = ["kane", "mira", "otto"]

function laterTasks() {
  return lessons.flatMap((lesson) => lesson.later.map((task) => ({ lesson, task })))
}

function openSession({ drey, home, now }: Place, session: string, hours: number): ClaudeSession {
  return claudeSession(home, { cwd: drey.root, session, start: new Date(now - hours * 3_600_000).toISOString() })
}
