import { expect, test } from "vitest"
import { semEntry } from "../../../test/legacy-fixtures.ts"
import { makeRepository } from "../../../test/run-cli.ts"
import { openDrey } from "../../drey.ts"

const entries = [
  ["2026-02-10T09:00:00Z", "Tree view providers refresh through one event emitter"],
  ["2026-02-11T09:00:00Z", "Invoices are numbered per year"],
  ["2026-02-12T09:00:00Z", "Nightly backups go to the second region"],
] as const

const store = {
  ".squad/decisions.md": entries.map(([time, title]) => semEntry(time, "decision", title)).join("\n"),
}

test("a task of a paragraph finds items for its one decisive sentence", async () => {
  const drey = openDrey({ root: makeRepository(store) })
  const sentence = "Refresh the tree view providers through the event emitter."
  const padding =
    "Please ask Monika and the reviewers from the customer epic whether everything went well on Tuesday. Mind accessibility, budgets, wording, screenshots and the quarterly roadmap as usual. Thanks a lot in advance, and have a nice holiday by the seaside!"
  const plain = await drey.context.build({ task: sentence })
  const padded = await drey.context.build({ task: `${sentence} ${padding}` })
  const relevantTo = ({ context }: typeof plain) =>
    context.included.filter(({ reason }) => /relevant to the task/.test(reason))
  expect(relevantTo(plain)).toHaveLength(1)
  expect(relevantTo(padded).map(({ id }) => id)).toEqual(relevantTo(plain).map(({ id }) => id))
  expect(padded.context.included[0]?.id).toBe(plain.context.included[0]?.id)
  await drey.close()
})

test("for a paragraph on another topic nothing is relevant, and all entries are still handed over", async () => {
  const drey = openDrey({ root: makeRepository(store) })
  const task = "Bake a cake for Friday. Use the good flour. Ask grandmother how long it has to stay in the oven."
  const { context } = await drey.context.build({ task })
  expect(context.included).toHaveLength(3)
  expect(context.included.filter(({ reason }) => /relevant to the task/.test(reason))).toEqual([])
  expect((await drey.context.build({ task, onlyRelevant: true })).context.included).toEqual([])
  await drey.close()
})
