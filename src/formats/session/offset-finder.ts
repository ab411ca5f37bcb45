import { findEntry, type YamlNode } from "./build-yaml-tree.ts"
import type { CutText } from "./cut-sections.ts"
import { parseYaml } from "./parse-yaml.ts"
import type { YamlPath } from "./yaml-document.ts"

export type OffsetFinder = (path: YamlPath) => number

/** Finds values in a text that can be parsed. Parses it once. */
export function offsetFinder(text: string): OffsetFinder {
  const parsed = parseYaml(text)
  if (parsed.kind === "broken") throw new Error("Values can be found only in a text that can be read.")
  return (path) => offsetIn(parsed.root, path)
}

/** Finds values in a text that is cut into chunks. Parses the chunks it is asked for, each once. */
export function chunkedOffsetFinder({ sections }: CutText): OffsetFinder {
  const finders = new Map<string, OffsetFinder>()
  const places = placesOf(sections)
  return (path) => {
    const { start, text, rest } = chunkOf(sections, places, path)
    const find = finders.get(text) ?? offsetFinder(text)
    finders.set(text, find)
    return start + find(rest)
  }
}

/** Where a section begins, and where each of its items does. */
type Place = { start: number; items: number[] }

function placesOf(sections: CutText["sections"]): Place[] {
  let at = 0
  return sections.map((section) => {
    const start = at + section.before.length
    at = start + section.text.length
    const items = (section.items ?? []).map((item) => {
      const itemStart = at + item.before.length
      at = itemStart + item.text.length
      return itemStart
    })
    return { start, items }
  })
}

/** The chunk that holds a path, where it begins, and the path inside it; without one, the beginning of the first. */
function chunkOf(
  sections: CutText["sections"],
  places: readonly Place[],
  path: YamlPath,
): { start: number; text: string; rest: YamlPath } {
  const [key, index = 0, ...rest] = path
  const found = sections.findIndex((section) => section.key === key)
  const section = sections[Math.max(found, 0)]
  const place = places[Math.max(found, 0)]
  if (!section || !place) throw new Error("A text without a single key is not cut into chunks.")
  const item = typeof index === "number" ? section.items?.[index] : undefined
  if (!item) return { start: place.start, text: section.text, rest: found === -1 ? [] : path }
  const start = place.items[Number(index)] ?? place.start
  return { start, text: item.text, rest: path.length === 1 ? [] : [0, ...rest] } // a list begins with its first dash
}

/** Of the value at the path, of its key where the value is not written out, else of the nearest part above. */
function offsetIn(root: YamlNode, path: YamlPath): number {
  let node = root
  let offset = root.start
  for (const step of path) {
    const entry = findEntry(node, step)
    if (!entry) break
    node = entry.node
    offset = node.end > (entry.behind ?? 0) ? node.start : entry.start
  }
  return offset
}
