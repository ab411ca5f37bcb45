import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listFailedAttempts, recurringFailures } from "./failed-attempts.ts"
import { attempt, memoryOf } from "./test-entries.ts"
import { makeSessions } from "./test-sessions.ts"

test("failures of open sessions are listed with their commands, error and lesson", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Mend the lamp", agent: "Electrician" })
  const failed = await session.startAttempt(undefined, {
    description: "Warm it up",
    approach: "By hand",
    commands: ["relay warm --now"],
  })
  await session.finishAttempt(failed.attempt.id, {
    result: "failure",
    error: "Traceback (most recent call last):\nContactError: welded",
    lessons: "Never under load",
  })
  const worked = await session.startAttempt(undefined, { description: "Replace it" })
  await session.finishAttempt(worked.attempt.id, { result: "success" })
  expect(await listFailedAttempts(sessions)).toEqual([
    {
      id: `${session.id}/Electrician/${failed.attempt.id}`,
      agent: "Electrician",
      text: expect.stringMatching(/^Warm it up \(Electrician\): .*Never under load/),
      plan: "Warm it up\nBy hand",
      commands: ["relay warm --now"],
      error: "ContactError: welded",
    },
  ])
  await session.end()
  expect(await listFailedAttempts(sessions)).toEqual([])
})

test("an unreadable session is skipped", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Mend the lamp", agent: "Electrician" })
  writeFileSync(join(session.folder, "agent-memory.yaml"), "attempts: [")
  expect(await listFailedAttempts(sessions)).toEqual([])
})

const failure = (id: string, time: string, fields: object) => attempt(id, time, { result: "failure", ...fields })

test("the same error with another time, place and number is one, across agents; the most frequent first", () => {
  const memories = new Map([
    [
      "developer",
      memoryOf({
        attempts: [
          failure("attempt-001", "09:00", { error: "Error: listen EADDRINUSE: address already in use :::8080" }),
          failure("attempt-002", "09:10", { error: "TypeError: cart.ts:12 is undefined" }),
          failure("attempt-003", "09:20", { error: "Error: listen EADDRINUSE: address already in use :::3000" }),
          failure("attempt-004", "09:30", { error: "RangeError: only once" }),
        ],
      }),
    ],
    [
      "tester",
      memoryOf(
        {
          attempts: [
            failure("attempt-001", "09:40", {
              output: "> test\n> vitest\n\nTypeError: cart.ts:99 is undefined\n  at cart.ts",
            }),
            failure("attempt-002", "09:50", { error: "Error: listen EADDRINUSE: address already in use :::9000" }),
          ],
        },
        "tester",
      ),
    ],
  ])
  expect(recurringFailures(memories)).toMatchObject([
    {
      error: "Error: listen EADDRINUSE: address already in use :::9000",
      count: 3,
      agents: ["tester", "developer"],
      attempts: [
        { agent: "tester", attemptId: "attempt-002" },
        { agent: "developer", attemptId: "attempt-003" },
        { agent: "developer", attemptId: "attempt-001" },
      ],
    },
    { error: "TypeError: cart.ts:99 is undefined", count: 2, agents: ["tester", "developer"] },
  ])
})

test("attempts that did not fail, or have no error, do not recur", () => {
  const attempts = [
    failure("attempt-001", "09:00", { error: "Error: gone" }),
    attempt("attempt-002", "09:10", { output: "Error: gone" }),
    failure("attempt-003", "09:20", { lessons: "Wait." }),
    failure("attempt-004", "09:30", { lessons: "Wait.", error: " " }),
  ]
  expect(recurringFailures(new Map([["developer", memoryOf({ attempts })]]))).toEqual([])
})
