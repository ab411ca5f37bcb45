import { seeded } from "../../../test/seeded.ts"

const odd = [
  null,
  0,
  -1,
  1e300,
  true,
  "",
  "x",
  "__proto__",
  "\ud800",
  [],
  [null],
  [[]],
  {},
  { type: null },
  { text: 5 },
]

/** The same file with some values replaced by unexpected ones; a document, or lines of documents. */
export function spoil(text: string, seed: number): string {
  const next = seeded(seed)
  const spoiled = (value: unknown): unknown => {
    if (next() < 0.04) return odd[Math.floor(next() * odd.length)]
    if (Array.isArray(value)) return value.map(spoiled)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, spoiled(each)]))
  }
  const document = parse(text)
  if (document !== undefined) return JSON.stringify(spoiled(document))
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : JSON.stringify(spoiled(parse(line)))))
    .join("\n")
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // several documents, one on each line
  }
}
