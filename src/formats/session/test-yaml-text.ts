import fc from "fast-check"

type Tree =
  | { kind: "leaf"; text: string }
  | { kind: "map"; step: number; entries: { key: string; noise: Noise; tree: Tree }[] }
  | { kind: "list"; step: number; items: { noise: Noise; tree: Tree }[] }

/** The text before an entry, and whether a comment follows its first line. */
type Noise = { above: (typeof aboveKinds)[number][]; behind: boolean }

const aboveKinds = ["blank", "spaces", "comment", "deep comment", "low comment"] as const
const above: fc.Arbitrary<Noise["above"]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Noise["above"]>([]) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...aboveKinds), { maxLength: 3 }) },
)
const noise: fc.Arbitrary<Noise> = fc.record({ above, behind: fc.boolean() })

/** Scalars and flow collections in every style; `~~` is the indentation of continuation lines. */
const leaves = [
  "",
  "~",
  "null",
  "plain",
  "two words",
  "12",
  "-1.5e+3",
  "0x1F",
  "true",
  "no",
  "2026-01-23",
  "a#b",

  '"quoted"',
  "'it''s'",
  '"a: b # no comment"',
  '"esc \\n \\u00e9 \\""',
  "!!str 12",
  "http://x.y/?a=b&c",
  "[]",
  "{}",
  "[a, 'b', \"c\"]",
  "{a: 1, b: [x, y]}",
  "{ k: { l: m } }",
  "[\n~~one,\n~~two # c\n~~]",
  "plain\n~~goes on",
  '"over\n\n~~lines"',
  "'over\n~~lines'",
  "|\n~~text\n~~more",
  "|-\n~~text\n\n~~more",
  "|+\n~~text\n\n",
  "|+\n~~text",
  ">\n~~folded\n~~text\n\n~~end",
  ">-\n~~x",
  "|\n~~# not a comment\n~~- not an item\n~~key: not a key",
  "|2\n~~  indented\n~~less",
  "|\n\n~~late",
  "|\n~~text\n~~   \n~~end",
  "|\n~~\ttab",
  "|\n~~- x |+\n\n~~y",
]

const plainKey = fc.constantFrom("id", "content", "result", "a", "b-c", "discoveries", "attempts", "context")
const key = fc.oneof(
  { weight: 4, arbitrary: plainKey },
  { weight: 1, arbitrary: fc.constantFrom('"quoted key"', "'x'", "7") },
)
const topKey = fc.oneof({ weight: 20, arbitrary: plainKey }, { weight: 1, arbitrary: key })

const { tree } = fc.letrec<{ tree: Tree; leaf: Tree; map: Tree; list: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie("leaf"), tie("map"), tie("list")),
  leaf: fc.record({ kind: fc.constant("leaf"), text: fc.constantFrom(...leaves) }),
  map: fc.record({
    kind: fc.constant("map"),
    step: fc.constantFrom(2, 2, 4, 1),
    entries: fc.uniqueArray(fc.record({ key, noise, tree: tie("tree") }), {
      minLength: 1,
      maxLength: 4,
      selector: (entry) => entry.key,
    }),
  }),
  list: fc.record({
    kind: fc.constant("list"),
    step: fc.constantFrom(2, 2, 0, 4),
    items: fc.array(fc.record({ noise, tree: tie("tree") }), { minLength: 1, maxLength: 4 }),
  }),
}))

/** A map at the top, in all the ways in which people write YAML; every comment in it is another one. Not all of it is valid. */
export const yamlText: fc.Arbitrary<string> = fc
  .record({
    entries: fc.uniqueArray(fc.record({ key: topKey, noise, tree }), {
      minLength: 1,
      maxLength: 5,
      selector: (entry) => entry.key,
    }),
    head: fc.constantFrom("", "", "", "", "# head\n\n", "---\n", "\n"),
    tail: fc.constantFrom("", "", "\n", "\n# tail\n", "  # deep tail\n", "", "...\n"),
    mark: fc.constantFrom("", "", "", "\uFEFF"),
    lineEnd: fc.constantFrom("\n", "\n", "\r\n"),
    closed: fc.boolean(),
  })
  .map(({ entries, head, tail, mark, lineEnd, closed }) => {
    const lines = writeTree({ kind: "map", step: 0, entries }, 0)
    let comment = 0
    const text = `${head}${lines.join("\n")}\n${tail}`.replaceAll("# c", () => `# c${comment++}`)
    return mark + (closed ? text : text.trimEnd()).replaceAll("\n", lineEnd)
  })

function writeTree(tree: Tree, column: number): string[] {
  if (tree.kind === "leaf") return [tree.text]
  const entries = tree.kind === "map" ? tree.entries : tree.items
  return entries.flatMap((entry) => {
    const head = " ".repeat(column) + ("key" in entry ? `${entry.key}:` : "-")
    return [...entry.noise.above.map((kind) => writeNoise(kind, column)), ...writeEntry(head, entry, column)]
  })
}

function writeEntry(head: string, { noise, tree }: { noise: Noise; tree: Tree }, column: number): string[] {
  const behind = noise.behind ? "  # c" : ""
  if (tree.kind !== "leaf") {
    const below = writeTree(tree, column + Math.max(tree.step, tree.kind === "list" && head.endsWith(":") ? 0 : 1))
    const compact = head.endsWith("-") && tree.step === 2 && !behind && below[0]?.trimStart().startsWith("#") === false
    return compact && below[0] !== ""
      ? [`${head} ${below[0]?.trimStart()}`, ...below.slice(1)]
      : [head + behind, ...below]
  }
  const text = tree.text.replaceAll("~~", " ".repeat(column + 2))
  const [first = "", ...rest] = text.split("\n")
  const inline = first === "" ? head : `${head} ${first}`
  const isOpen = rest.length > 0 && !/^[|>]/.test(first)
  return [isOpen ? inline : inline + behind, ...rest]
}

function writeNoise(kind: Noise["above"][number], column: number): string {
  if (kind === "blank") return ""
  if (kind === "spaces") return " ".repeat(column)
  return `${" ".repeat(kind === "comment" ? column : kind === "deep comment" ? column + 3 : Math.max(column - 2, 0))}# c`
}

const pieces = fc.constantFrom(
  ..."\n|\n|\n| |  |- |-|: |:|#| # x|[|]|{|}|,|\"|'|>|&a |*a|!x |!!str |---\n|...\n|%YAML 1.1\n|? |\t|\r\n|a|id:|\nid: 1\n".split(
    "|",
  ),
  ..."\n- x\n|\n  - x\n|\n    |\0|\uFEFF|\u2028|~|null|<<: |\\|@|`|1|=".split("|"),
  "|",
  "|+",
)

/** Texts that are nearly YAML. */
export const brokenYaml: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(yamlText, fc.array(fc.tuple(fc.nat(), pieces, fc.nat(6)), { minLength: 1, maxLength: 4 }))
    .map(([text, changes]) =>
      changes.reduce((changed, [place, piece, length]) => {
        const at = place % (changed.length + 1)
        return changed.slice(0, at) + piece + changed.slice(at + length)
      }, text),
    ),
  fc.array(pieces, { maxLength: 30 }).map((parts) => `a: b${parts.join("")}`),
)

const hardTexts = [
  ..."a\nb|a\n|a\n\n|  a\nb\n|\n|\na|a\n  \nb|a\n  |no|12|~|# x\n- y\nk: v\n|a\r\nb|\ttab\nx\n|\ud800|\u2028a\nb|\uFEFFx|a\n---\nb|...\n".split(
    "|",
  ),
  "x |+ y\n",
  "0777",
  "1_000",
  "1:30",
  "2026-01-23",
  "=",
  "<<",
]
const hardText = fc.oneof(
  fc.constantFrom(...hardTexts),
  fc.string({ maxLength: 9 }),
  fc.string({ unit: "binary", maxLength: 6 }),
)
const hardKey = fc.oneof(fc.constantFrom("id", "no", "x y", "__proto__", "null", "k".repeat(1100)), hardText)

/** Values that are hard to write. */
export const yamlValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    hardText,
    fc.constantFrom(null, true, false, 0, 12, -1.5, 1e21, 1e-7, Number.POSITIVE_INFINITY),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(hardKey, tie("value"), { maxKeys: 3 }),
  ),
})).value
