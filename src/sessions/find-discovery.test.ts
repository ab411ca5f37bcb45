import { expect, test } from "vitest"
import { findDiscovery } from "./find-discovery.ts"
import { discovery, memoryOf } from "./test-entries.ts"

const memories = new Map([
  [
    "developer",
    memoryOf({
      discoveries: [
        discovery("pool", "09:00", {
          content: "The connection pool has ten places.",
          relatedFiles: ["src/db/pool.ts"],
        }),
        discovery("timeout", "09:10", { content: "A connectionTimeout of 30 s is set." }),
      ],
    }),
  ],
  [
    "tester",
    memoryOf({ discoveries: [discovery("ports", "09:20", { content: "Tests pool their ports." })] }, "tester"),
  ],
])
const idsFor = (topic: string) => findDiscovery(topic, memories).map(({ discovery }) => discovery.id)

test.each([
  ["connection pools", ["pool"]],
  ["pool", ["ports", "pool"]],
  ["src/db/pool.ts", ["pool"]],
  ["connection timeout", ["timeout"]],
  ["the connection pool size", ["pool"]],
  ["pool of threads and processes", []],
  ["the", []],
])("what is known about %j is %j", (topic, ids) => {
  expect(idsFor(topic)).toEqual(ids)
})

test("a discovery is found with the agent that made it", () => {
  expect(findDiscovery("ports", memories)).toMatchObject([
    { agent: "tester", discovery: { id: "ports" }, similarity: 1 },
  ])
})
