import type { Graph } from "../../../src/recall/browse/app-api.ts"

type Kind = Graph["edges"][number]["kind"]

/** How each kind of tie reads from the other side. */
const reversed: Record<Kind, string> = {
  supersedes: "superseded by",
  "refers to": "referred to by",
  similar: "similar",
  "same task": "same task",
  "graduated from": "graduated into",
}

/** What one item has to do with another, as seen from the first: "supersedes, same task". */
export function describeTies({ edges }: Graph, one: string, other: string): string {
  const ties = edges.flatMap(({ from, to, kind }) => {
    if (from === one && to === other) return [kind]
    return from === other && to === one ? [reversed[kind]] : []
  })
  return [...new Set(ties)].join(", ")
}
