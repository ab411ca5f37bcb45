import type { z } from "zod"
import { checkVersion } from "./check-version.ts"
import { type Part, readPart } from "./read-part.ts"
import { readYaml } from "./read-yaml.ts"
import type { SessionProblem } from "./session-problem.ts"
import { below, placeProblems, quoted, type UnplacedProblem, warning } from "./unplaced-problem.ts"
import type { YamlDocument } from "./yaml-document.ts"

export type SessionFileReading<Data> =
  | {
      kind: "read"
      document: YamlDocument
      data: Data
      /** Warnings; and, where the file may not be changed, the error that says why. */
      problems: SessionProblem[]
      /** False for a file of a newer version. */
      writable: boolean
    }
  | { kind: "invalid"; problems: SessionProblem[] }
  /** Of a version that nobody can make sense of here. */
  | { kind: "unsupported"; problems: SessionProblem[] }

/** How to read one kind of file. The items of `lists` are read one by one, so that they can be remembered. */
export type SessionFileShape<Data> = {
  /** The whole file, but for what is in the lists. */
  head: z.ZodType<Record<string, unknown>>
  lists: Record<string, (item: unknown) => Part<unknown>>
  /** What can be said only of the file as a whole. */
  check(data: Data, text: string): UnplacedProblem[]
}

/** Reads a file of a session. Never throws on content: all that is wrong with it comes out, with its place and what to do. */
export function readSessionFile<Data extends { sessionId: string }>(
  shape: SessionFileShape<Data>,
  text: string,
  expected: { sessionId?: string },
): SessionFileReading<Data> {
  const yaml = readYaml(text)
  if (yaml.kind === "broken") return { kind: "invalid", problems: yaml.problems }
  const { document } = yaml
  const { support, problems: versionProblems } = checkVersion(document.value.version)
  const { value: data, problems: partProblems } = readParts(shape, document.value)
  const found = [...versionProblems, ...partProblems]
  if (data) found.push(...checkSession(data, expected.sessionId), ...shape.check(data, text))
  const mayBeRead = found.every(({ severity, code }) => severity === "warning" || code === "newer-version")
  const problems = placeProblems(document, found)
  if (data && mayBeRead) return { kind: "read", document, data, problems, writable: support === "current" }
  return { kind: support === "current" ? "invalid" : "unsupported", problems }
}

function readParts<Data>(shape: SessionFileShape<Data>, value: Record<string, unknown>): Part<Data> {
  const head = readPart(shape.head, value)
  const lists = Object.entries(shape.lists).map(([key, read]) => ({ key, parts: partsOf(value[key]).map(read) }))
  const problems = [
    ...head.problems,
    ...lists.flatMap(({ key, parts }) => parts.flatMap((part, index) => below([key, index], part.problems))),
  ]
  if (!head.value || problems.some(({ severity }) => severity === "error")) return { problems }
  const items = lists.map(({ key, parts }) => [key, parts.map((part) => part.value)])
  return { value: { ...head.value, ...Object.fromEntries(items) } as Data, problems }
}

/** What is no list is told by the head's schema. */
function partsOf(list: unknown): unknown[] {
  return Array.isArray(list) ? list : []
}

function checkSession({ sessionId }: { sessionId: string }, expected: string | undefined): UnplacedProblem[] {
  if (expected === undefined || sessionId === expected) return []
  const message = `The file's sessionId is ${quoted(sessionId)}, but it is in the folder of ${quoted(expected)}: correct the sessionId.`
  return [warning("session-mismatch", ["sessionId"], message)]
}
