import { isMap } from "./is-map.ts"
import { chunkedOffsetFinder, type OffsetFinder, offsetFinder } from "./offset-finder.ts"
import { parseYaml, type YamlFault } from "./parse-yaml.ts"
import { readChunks, readValue } from "./read-chunks.ts"
import type { SessionProblem } from "./session-problem.ts"
import type { YamlPath, YamlReading } from "./yaml-document.ts"

/**
 * Reads any text: YAML 1.2's core schema, one map at the top, no key twice. What has not changed since another reading is not parsed
 * again; its value is the same frozen object.
 */
export function readYaml(text: string): YamlReading {
  const nul = text.indexOf("\0")
  if (nul !== -1) {
    const message = "The file contains a NUL character, so it is not UTF-8 text."
    return broken(text, [{ code: "syntax", offset: nul, message }])
  }
  const chunked = readChunks(text)
  if (chunked) return read(text, chunked.value, () => chunkedOffsetFinder(chunked))
  const { mark, content } = cutMark(text)
  const value = readValue(content)?.value
  if (isMap(value)) {
    return read(text, value, () => {
      const find = offsetFinder(content)
      return (path) => mark.length + find(path)
    })
  }
  const parsed = parseYaml(content)
  if (parsed.kind === "broken") {
    const faults = parsed.faults.map((fault) => ({ ...fault, offset: mark.length + fault.offset }))
    return broken(text, faults)
  }
  const message = "The file as a whole must be a map: lines of `key: value`."
  return broken(text, [{ code: "wrong-type", offset: mark.length + parsed.root.start, message }])
}

/** A byte order mark and the text behind it. */
export function cutMark(text: string): { mark: string; content: string } {
  const length = text.startsWith("\uFEFF") ? 1 : 0
  return { mark: text.slice(0, length), content: text.slice(length) }
}

function broken(text: string, faults: readonly YamlFault[]): YamlReading {
  const problems = faults.slice(0, 20).map(({ code, offset, message }): SessionProblem => {
    return { severity: "error", code, path: "", ...lineAndColumn(text, offset), message }
  })
  return { kind: "broken", problems }
}

/** Positions are wanted when something is wrong, so nothing is searched before the first of them. */
function read(text: string, value: Record<string, unknown>, makeFinder: () => OffsetFinder): YamlReading {
  let find: OffsetFinder | undefined
  let starts: number[] | undefined
  const positionOf = (path: YamlPath) => {
    find ??= makeFinder()
    starts ??= lineStarts(text)
    return placeIn(starts, find(path))
  }
  return { kind: "read", document: { text, value, positionOf } }
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  return placeIn(lineStarts(text), offset)
}

function lineStarts(text: string): number[] {
  const starts = [cutMark(text).mark.length]
  for (let feed = text.indexOf("\n"); feed !== -1; feed = text.indexOf("\n", feed + 1)) starts.push(feed + 1)
  return starts
}

function placeIn(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0 // the last start that is not behind the offset
  for (let high = starts.length; high - low > 1; ) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return { line: low + 1, column: Math.max(offset - (starts[low] ?? 0), 0) + 1 }
}
