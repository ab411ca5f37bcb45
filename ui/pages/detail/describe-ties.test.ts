import { expect, test } from "vitest"
import { describeTies } from "./describe-ties.ts"

test("a tie reads from the item that is shown, in both directions, and each kind once", () => {
  const graph = {
    nodes: [],
    edges: [
      { from: "new", to: "old", kind: "supersedes" as const },
      { from: "new", to: "old", kind: "similar" as const },
      { from: "old", to: "new", kind: "similar" as const },
    ],
  }
  expect(describeTies(graph, "new", "old")).toBe("supersedes, similar")
  expect(describeTies(graph, "old", "new")).toBe("superseded by, similar")
  expect(describeTies(graph, "old", "third")).toBe("")
})
