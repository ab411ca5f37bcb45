import fc from "fast-check"
import { expect, test } from "vitest"
import type { TranscriptEvent } from "../../formats/client-events.ts"

import { builtInPolicy } from "../../formats/policy.ts"
import type { Episode, EpisodeEvent } from "../../memories/episode.ts"
import { boundaryScore, openSegmenter, type SessionIdentity, type Similarity } from "./segmenter.ts"
import { answers, edits, interrupts, reads, runs, says, testEvents } from "./test-events.ts"

const identity: SessionIdentity = {
  client: "claude-code",
  session: "s-1",
  project: "p-1",
  transcript: "/transcripts/s-1.jsonl",
}
const settings = builtInPolicy.episode

function segment(events: readonly EpisodeEvent[], given = settings): Episode[] {
  const segmenter = openSegmenter(given, identity)
  return [...events.map(segmenter.take), segmenter.close("idle")].filter((episode) => episode !== undefined)
}

const reasons = (...happened: Partial<TranscriptEvent>[]) =>
  segment(testEvents(...happened)).map(({ flushReason }) => flushReason)

const cart = [says("add a discount field to the cart page"), ...edits("src/cart.ts"), ...runs("npm test", 0)]
const newsletter = [says("Next, the newsletter needs another footer"), ...edits("mail/footer.html")]

test("another task starts another episode, with its first message", () => {
  const events = testEvents(...cart, ...newsletter)
  const [first, second] = segment(events)
  expect(first).toMatchObject({ flushReason: "task_boundary", stats: { outcome: "success" } })
  expect(first?.events).toEqual(events.slice(0, 5))
  expect(second).toMatchObject({ flushReason: "idle", events: events.slice(5) })
  expect(second).not.toHaveProperty("continuationOf")
})

test("a session that starts, ends or is cleared ends the task; one that is compacted continues", () => {
  const mark = (mark: NonNullable<TranscriptEvent["mark"]>): Partial<TranscriptEvent> => ({ kind: "mark", mark })
  expect(reasons(...cart, mark("clear"), says("more"))).toEqual(["task_boundary", "idle"])
  expect(reasons(...cart, mark("session end"), says("more"))).toEqual(["session_end", "idle"])
  expect(reasons(mark("session start"), ...cart)).toEqual(["idle"])
  expect(reasons(...cart, mark("compacted"), says("more of the cart page"))).toEqual(["idle"])
})

test("the first success after severe frustration ends the episode, and the next continues it", () => {
  const [first, second] = segment(
    testEvents(
      says("make the tests green"),
      ...runs("npm test", 1, "one"),
      says("how many times do I have to say that?"),
      ...runs("ls", 0),
      ...runs("npm test", 0),
      says("no, leave the config alone"),
    ),
  )
  expect(first).toMatchObject({ flushReason: "resolved", stats: { user_frustration: "severe" } })
  expect(first?.events).toHaveLength(8)
  expect(second?.continuationOf).toBe(first?.id)
})

test("another task after that success continues nothing", () => {
  const [first, second] = segment(
    testEvents(
      ...cart,
      says("are you kidding me"),
      says("thanks, works now"),
      says("Unrelated: the newsletter footer"),
    ),
  )
  expect(first).toMatchObject({ flushReason: "resolved" })
  expect(second).not.toHaveProperty("continuationOf")
})

test("thanks after severe frustration resolve it too; a success before it, or without it, does not", () => {
  expect(reasons(...cart, says("are you kidding me"), ...edits("a.ts"), says("thanks, works now"))).toEqual([
    "resolved",
  ])
  expect(reasons(...runs("npm test", 1, "x"), ...runs("npm test", 0), says("are you kidding me"))).toEqual(["idle"])
  expect(reasons(says("go"), ...runs("npm test", 1, "x"), ...runs("npm test", 0))).toEqual(["idle"])
})

test("a long task stays one episode: what was only looked at makes room for the rest", () => {
  const looks = Array.from({ length: 40 }, (_, index) => reads(`src/${index}.ts`)).flat()
  const work = [says("go"), ...runs("npm test", 1, "Error: x"), ...looks, ...edits("src/a.ts"), ...runs("npm test", 0)]
  const [only, ...others] = segment(testEvents(...work, says("thanks, works now")), { ...settings, max_events: 20 })
  expect(others).toEqual([])
  expect(only).toMatchObject({ flushReason: "idle", stats: { error_count: 1, outcome: "success" } })
  expect(only?.events.length).toBeLessThanOrEqual(20)
  const kept = only?.events.map(({ summary, action }) => action ?? summary) ?? []
  expect(kept[0]).toBe("go")
  expect(kept.filter((each) => each === "run" || each === "edit")).toHaveLength(6)
})

test("an episode is never longer than allowed, in events and in tokens", () => {
  const many = testEvents(says("go"), ...Array.from({ length: 12 }, (_, index) => edits(`src/${index}.ts`)).flat())
  const byEvents = segment(many, { ...settings, max_events: 10 })
  expect(byEvents.map(({ flushReason, events }) => [flushReason, events.length])).toEqual([
    ["size", 10],
    ["size", 10],
    ["idle", 5],
  ])
  expect(byEvents[1]?.continuationOf).toBe(byEvents[0]?.id)
  expect(segment(many, { ...settings, max_tokens: 100 }).length).toBeGreaterThan(1)
})

test("closing has a reason; closing again does nothing", () => {
  const segmenter = openSegmenter(settings, identity)
  for (const event of testEvents(...cart)) segmenter.take(event)
  expect(segmenter.close("explicit")).toMatchObject({ flushReason: "explicit" })
  expect(segmenter.close("explicit")).toBeUndefined()
})

test("an interruption belongs to the task in which it happened", () => {
  const [episode] = segment(testEvents(...cart, interrupts, says("no, the cart page stays")))
  expect(episode?.stats.interrupts).toBe(1)
})

test("an episode's id contains its day and is derived from client, session and first event", () => {
  const [one] = segment(testEvents(...cart))
  const [same] = segment(testEvents(...cart, answers("and more")))
  expect(one?.id).toMatch(/^ep-2026-03-01-[0-9a-f]{12}$/)
  expect(same?.id).toBe(one?.id)
  const [other] = segment(testEvents(...cart).slice(1))
  expect(other?.id).not.toBe(one?.id)
})

test("events without a time do not fail", () => {
  const [episode] = segment(testEvents(...cart).map((event) => ({ ...event, ts: "" })))
  expect(episode).toMatchObject({ start: "", end: "" })
})

const happening = fc.oneof(
  fc.constantFrom<Partial<TranscriptEvent>[]>(
    [says("add a discount field to the cart page")],
    [says("Next, the newsletter needs another footer")],
    [says("how many times do I have to say that?")],
    [says("it's still broken")],
    [says("thanks, works now")],
    [answers("Done. Shall I commit?")],
    [interrupts],
    [{ kind: "mark", mark: "clear" }],
    [{ kind: "mark", mark: "session end" }],
  ),
  fc
    .tuple(fc.constantFrom("npm test", "npm run build", "ls"), fc.integer({ min: 0, max: 1 }))
    .map(([command, exit]) => runs(command, exit, "error: x")),
  fc.constantFrom("a.ts", "b.ts").map((file) => edits(file)),
)

test("whatever happened, and wherever it was interrupted and resumed, the episodes are the same and contain every event at most once, and the user's and those of work always", () => {
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 40 }),
      fc.array(fc.boolean()),
      fc.integer({ min: 3, max: 30 }),
      (happened, stops, most) => {
        const given = { ...settings, max_events: most }
        const events = testEvents(...happened.flat())
        const whole = segment(events, given)

        let segmenter = openSegmenter(given, identity)
        const pieces: Episode[] = []
        for (const [index, event] of events.entries()) {
          const closed = segmenter.take(event)
          if (closed !== undefined) pieces.push(closed)
          if (stops[index] === true)
            segmenter = openSegmenter(given, identity, JSON.parse(JSON.stringify(segmenter.openTask())))
        }
        const rest = segmenter.close("idle")
        if (rest !== undefined) pieces.push(rest)

        expect(pieces).toEqual(whole)
        const kept = new Set(whole.flatMap((episode) => episode.events.map(({ id }) => id)))
        const expected = events.filter(
          ({ mark, role, id }) => mark === undefined && (role !== "assistant" || kept.has(id)),
        )
        expect(whole.flatMap((episode) => episode.events.map(({ id }) => id))).toEqual(expected.map(({ id }) => id))
        expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length)
      },
    ),
  )
})

const task = [says("add a discount field to the cart page"), ...edits("src/cart.ts"), answers("The cart has it.")]

function score(before: Partial<TranscriptEvent>[], message: Partial<TranscriptEvent>, similarity?: Similarity): number {
  const events = testEvents(...before, message)
  const last = events.pop()
  if (last === undefined) throw new Error("There is no message.")
  return Number(boundaryScore(events, last, withoutModel, similarity).toFixed(2))
}

const { episode } = builtInPolicy
const withoutModel = { ...episode, boundary_weights: { ...episode.boundary_weights, model: 0 } }

test("the trained model counts for another task, or against it", () => {
  const modelScore = (words: string) => {
    const [last, ...others] = testEvents(...task, says(words)).reverse()
    if (last === undefined) throw new Error("There is no message.")
    const events = others.reverse()
    return boundaryScore(events, last, episode) - boundaryScore(events, last, withoutModel)
  }
  expect(modelScore("Create a release workflow for the windows build")).toBeGreaterThan(0.1)
  expect(modelScore("no, it should be on the left")).toBeLessThan(-0.1)
})

const about = "make the discount field in the cart page optional"
const elsewhere = "weekly newsletter template needs another footer"

test("a task that has barely started continues, whatever the message", () => {
  expect(score(task.slice(0, 2), says("Unrelated: the favicon is missing"))).toBe(0)
})

test("known words are evidence against another task, new words for one", () => {
  expect(score(task, says(about))).toBe(-0.25)
  expect(score(task, says(elsewhere))).toBe(0.3)
})

test("a few words prove nothing, nor do a rule's own words or a short message about this", () => {
  expect(score(task, says("footer needed"))).toBe(0)
  expect(score(task, says("remember that fridays are without deployments"))).toBe(0)
  expect(score(task, says("hide this behind another toggle switch"))).toBe(0)
})

test("a pause counts by its length", () => {
  const at = (minutes: number) => says(elsewhere, { ts: new Date(Date.UTC(2026, 2, 1, 9, 3 + minutes)).toISOString() })
  expect(score(task, at(9))).toBe(0.3)
  expect(score(task, at(10))).toBe(0.5)
  expect(score(task, at(30))).toBe(0.8)
  expect(score(task, says(elsewhere, { ts: "" }))).toBe(0.3)
})

test("the beginning of a message counts", () => {
  expect(score(task, says("next, the newsletter template footer"))).toBe(0.75)
  expect(score(task, says("also the newsletter template footer"))).toBe(-0.2)
  expect(score(task, says("no, the newsletter template footer"))).toBe(-0.2)
  expect(score(task, says("thanks"))).toBe(-0.5)
})

test("an explicit change of topic counts, although the words are known", () => {
  expect(score(task, says("different topic: the cart page discount field"))).toBe(0.75)
})

test("known files count, or only new ones", () => {
  expect(score(task, says("have a look at src/cart.ts"))).toBe(-0.5) // the words are known as well
  expect(score(task, says("have a look at mail/footer.html"))).toBe(0.45)
})

test("a solved task ends more easily, a broken one continues", () => {
  expect(score([...task, ...runs("npm test", 0)], says(elsewhere))).toBe(0.5)
  expect(score([...task, ...runs("npm test", 1, "x")], says(elsewhere))).toBe(0.05)
})

test("another branch counts", () => {
  const on = (branch: string) => [says("add a discount field to the cart page", { branch }), ...task.slice(1)]
  expect(score(on("main"), says(elsewhere, { branch: "main" }))).toBe(0.3)
  expect(score(on("main"), says(elsewhere, { branch: "mail" }))).toBe(0.6)
})

test("meaning replaces words if an embedder is available", () => {
  expect(score(task, says(elsewhere), () => 0.9)).toBe(-0.25)
  expect(score(task, says(elsewhere), () => 0.4)).toBe(0)
  expect(score(task, says(about), () => 0.1)).toBe(0.3)
})
