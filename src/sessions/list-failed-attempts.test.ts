import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listFailedAttempts } from "./list-failed-attempts.ts"
import { makeSessions } from "./test-sessions.ts"

test("what failed in sessions that have not ended is listed with its commands, its error and its lesson", async () => {
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

test("a session that cannot be read is passed over", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Mend the lamp", agent: "Electrician" })
  writeFileSync(join(session.folder, "agent-memory.yaml"), "attempts: [")
  expect(await listFailedAttempts(sessions)).toEqual([])
})
