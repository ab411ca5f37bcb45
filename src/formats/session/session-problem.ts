import type { YamlDocument, YamlPath } from "./yaml-tree.ts"

/** A problem in a session file. An error prevents changes to the file; a warning does not. */
export type SessionProblem = {
  severity: "error" | "warning"
  code: SessionProblemCode
  /** `attempts[2].result`; "" for the file as a whole. */
  path: string
  /** Both count from 1. */
  line: number
  column: number
  message: string
}

export type SessionProblemCode =
  | "syntax"
  | "duplicate-key"
  | "too-many-aliases"
  | "custom-tag"
  | "wrong-type"
  | "missing-field"
  | "unknown-value"
  | "version-not-text"
  | "newer-version"
  | "session-mismatch"
  | "duplicate-id"
  | "unknown-reference"
  | "invalid-timestamp"
  | "older-than-file"
  | "contradiction"
  | "too-long"
  | "too-large"
  | "secret"
  | "plan-mismatch"

/** A problem whose line is not known yet. */
export type UnplacedProblem = Pick<SessionProblem, "severity" | "code" | "message"> & { path: YamlPath }

export function fault(code: SessionProblemCode, path: YamlPath, message: string): UnplacedProblem {
  return { severity: "error", code, path, message }
}

export function warning(code: SessionProblemCode, path: YamlPath, message: string): UnplacedProblem {
  return { severity: "warning", code, path, message }
}

/** The problems of a part, with paths from the top of the file. */
export function below(path: YamlPath, problems: readonly UnplacedProblem[]): UnplacedProblem[] {
  if (problems.length === 0) return [] // almost always, and called for every entry
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }))
}

/**
 * Adds the position of each, in the order of the file. Lines are looked up on demand: a file is read with every change, its warnings are
 * seldom shown.
 */
export function placeProblems(document: YamlDocument, problems: readonly UnplacedProblem[]): SessionProblem[] {
  return problems
    .map((problem) => ({ problem, order: orderOf(document.value, problem.path) }))
    .sort((one, other) => compareOrders(one.order, other.order))
    .map(({ problem: { path, ...problem } }) => {
      let place: { line: number; column: number } | undefined
      const find = () => (place ??= document.positionOf(path))
      return {
        ...problem,
        path: formatPath(path),
        get line() {
          return find().line
        },
        get column() {
          return find().column
        },
      }
    })
}

/** The index of each step of a path in its map or list; missing ones come before all others. */
function orderOf(value: unknown, path: YamlPath): number[] {
  let part = value
  return path.map((step) => {
    const keys = typeof part === "object" && part !== null ? part : {}
    part = (keys as Record<string | number, unknown>)[step]
    return typeof step === "number" ? step : Object.keys(keys).indexOf(step)
  })
}

function compareOrders(one: readonly number[], other: readonly number[]): number {
  const differing = one.findIndex((position, index) => position !== other[index])
  if (differing === -1) return one.length - other.length
  return (one[differing] ?? 0) - (other[differing] ?? -1)
}

/** `attempts[2].result`. */
export function formatPath(path: YamlPath): string {
  return path
    .map((step) =>
      typeof step === "number" ? `[${step}]` : /^[\w-]+$/.test(step) ? `.${step}` : JSON.stringify([step]),
    )
    .join("")
    .replace(/^\./, "")
}

/** A value of the file as a message may quoted it: on one line and not at length. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
