import { expect, test } from "vitest"
import { longSession } from "./test-session.ts"

test("an export contains a whole session as one JSON value, including archived entries", async () => {
  const { session } = await longSession()
  const exported = await session.export()
  expect(JSON.parse(JSON.stringify(exported))).toEqual(exported)
  expect(exported).toMatchObject({
    id: session.id,
    metadata: { task: "Sort the mail", archived: true },
    state: { task: "Sort the mail" },
    plans: [{ steps: [{ description: "Read it" }] }],
    messages: [{ content: "Please sort the mail." }],
    agents: [
      { agent: "developer", discoveries: [{ id: "discovery-001" }, { id: "discovery-002" }] },
      { agent: "tester", attempts: [{ id: "attempt-001", result: "failure" }] },
    ],
  })
})
