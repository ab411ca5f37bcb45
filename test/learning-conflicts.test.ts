import { expect, test } from "vitest"
import { learningPlace, operations, say, useModel } from "./learning-place.ts"

test("of two memories that contradict each other only the newer is handed out, with a note, and both are shown to the user", async () => {
  const it = learningPlace()
  const older = "Run the linter before every commit of the shop."
  const newer = "Do not run the linter before every commit of the shop."
  for (const [day, text, polarity] of [
    [1, older, 1],
    [5, newer, -1],
  ] as const) {
    await useModel(it, operations({ kind: "pattern", polarity, text, quote: text }))
    say(it, text, { session: `s${day}`, start: `2026-03-0${day}T09:00:00Z` })
    await it.learning({ at: "2026-03-20T09:00:00Z" }).ingest()
  }
  const drey = it.open({ at: "2026-03-20T09:00:00Z" })
  const { context } = await drey.context.build({ task: "Commit the shop after the linter" })
  expect(context.text).toContain(newer)
  expect(context.text).not.toContain(`> ${older}`)
  expect(context.text).toMatch(/conflict|contradict/)

  const review = (await it.run("status", "--review")).stdout
  expect(review).toContain(older)
  expect(review).toContain(newer)
  expect(review).toContain("conflicts with another memory")
})
