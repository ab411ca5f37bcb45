import type { Drey } from "../../../src/drey.ts"
import type { AttemptEnd, Session } from "../../../src/sessions/session-api.ts"

/** Moves the clock to so many hours ago. */
type Clock = (hours: number) => void

/** Two sessions of the sample, one over and one that still runs. */
export async function holdSessions(drey: Drey, at: Clock): Promise<void> {
  const sessions = drey.sessions
  at(76)
  await chargeOnce(
    await sessions.start({ task: "Customers are charged twice when the bank times out", agent: "kane" }),
    at,
  )
  at(3)
  await speedUpDepartures(
    await sessions.start({ task: "Make the list of departures load in a second", agent: "mira" }),
    at,
  )
}

async function chargeOnce(session: Session, at: Clock): Promise<void> {
  const { id: discovery } = await session.addDiscovery("kane", {
    type: "failure_cause",
    content: "A timeout after the bank has booked looks the same as one before: the retry books again.",
    importance: "high",
    relatedFiles: ["src/payments/pay.ts"],
  })
  const attempt = tryOut(session, at)
  await attempt("kane", [75.8, 75.3], "Book a payment once: wait longer before the retry", "pnpm test payments", {
    result: "failure",
    error: "2 of 40 simulated payments were booked twice",
    lessons: "No pause is long enough; the bank must recognise the retry.",
  })
  await attempt("otto", [75.4, 74.9], "Let the bank's sandbox drop every twentieth request", "pnpm test bank", {
    result: "success",
    output: "The double booking shows in every run",
  })
  await attempt("kane", [74.7, 74.1], "Book a payment once: send a key with the retry", "pnpm test payments", {
    result: "success",
    output: "40 of 40 were booked once",
  })
  await session.addDecision("kane", {
    type: "architectural",
    description: "Every payment carries an idempotency key",
    reasoning: "It is the one way that needs nothing but the bank's own promise.",
    alternatives: [{ name: "Ask the bank before each retry", reason: "Its answer may be older than the booking." }],
    impact: "high",
    relatedDiscoveries: [discovery],
  })
  await session.addDiscovery("otto", {
    type: "code_pattern",
    content: "The bank's sandbox drops every twentieth request when `X-Chaos: 5` is sent.",
    relatedFiles: ["test/bank.ts"],
  })
  await session.end({ summary: "No payment is booked twice any more; the tests drop every twentieth request." })
}

async function speedUpDepartures(session: Session, at: Clock): Promise<void> {
  const steps = ["Measure where the time goes", "Read tariffs once", "Measure again"]
  await session.plan.set({ steps: steps.map((description) => ({ description })) })
  await session.addDiscovery("mira", {
    type: "complexity_assessment",
    content: "The page asks for the tariff of every departure one by one: 96 queries.",
    importance: "high",
    relatedFiles: ["src/departures/list.ts"],
  })
  const attempt = tryOut(session, at)
  await attempt("mira", [2.8, 2.4], "Cache the whole page for a minute", "pnpm bench departures", {
    result: "failure",
    error: "Seats left are wrong for up to a minute",
    lessons: "The times may be cached, the seats may not.",
  })
  await attempt("mira", [2.2, 1.6], "Read all tariffs with one query, in the browser", "pnpm bench departures", {
    result: "failure",
    error: "First paint went from 1.9 s to 2.4 s",
    lessons: "It must happen on the server.",
  })
  await attempt("mira", [1.4, 0.9], "Read all tariffs with one query, on the server", "pnpm bench departures", {
    result: "success",
    output: "First paint after 0.8 s",
  })
  at(0.5)
  await session.startAttempt("mira", {
    description: "Measure on a phone over 3G",
    commands: ["pnpm bench --network 3g"],
  })
  const openQuestions = ["Is the seat count live on the outer pier?"]
  await session.updateContext("mira", { add: { openQuestions, nextSteps: ["Measure with the tariffs of July"] } })
}

function tryOut(session: Session, at: Clock) {
  return async (agent: string, [from, to]: [number, number], description: string, command: string, end: AttemptEnd) => {
    at(from)
    const { attempt } = await session.startAttempt(agent, { description, commands: [command] })
    at(to)
    await session.finishAttempt(attempt.id, end, { agent })
  }
}
