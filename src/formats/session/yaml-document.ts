import type { SessionProblem } from "./session-problem.ts"

/** Where a value stands: keys of maps and indexes of lists, from the top. */
export type YamlPath = readonly (string | number)[]

/** A YAML file as it is written: its value, and where each part of it stands. */
export type YamlDocument = {
  readonly text: string
  readonly value: Record<string, unknown>
  /** Of the value at a path or, where there is none, of the nearest part above it. Both count from 1. */
  positionOf(path: YamlPath): { line: number; column: number }
}

export type YamlReading = { kind: "read"; document: YamlDocument } | { kind: "broken"; problems: SessionProblem[] }

/** One change of a file; all that is not named keeps its bytes. */
export type YamlEdit =
  /** Replaces the value at a path or adds it at the end of its map; missing maps on the way are made. `undefined` removes the key. */
  | { op: "set"; path: YamlPath; value: unknown }
  /** Adds an item at the end of a list, which is made if it is missing, null or empty. */
  | { op: "append"; path: YamlPath; value: unknown }
  /** The same for an item of a list in its own words: lines as they stood in another file, comments with them. */
  | { op: "appendSource"; path: YamlPath; source: string }
  /** Takes an item out of a list, with the comments that stand before it. */
  | { op: "remove"; path: YamlPath }
