import fc from "fast-check"

type Style = { lineEnd: string; unit: string; trailing: boolean; mark: boolean; lastLineEnd: boolean }

/** For tests: settings files as people write them, with comments, odd indentation and all; their roots are objects. */
export function testJsonc(): fc.Arbitrary<string> {
  const style = fc.record({
    lineEnd: fc.constantFrom("\n", "\r\n"),
    unit: fc.constantFrom("  ", "    ", "\t", "   ", ""),
    trailing: fc.boolean(),
    mark: fc.boolean(),
    lastLineEnd: fc.boolean(),
  })
  return fc.tuple(style, settings(), fc.infiniteStream(fc.nat(11))).map(([look, value, choices]) => {
    const choose = () => choices.next().value ?? 0
    const body = write(value, look, choose, "")
    const comment = choose() === 0 ? `// settings${look.lineEnd}` : ""
    return `${look.mark ? "\uFEFF" : ""}${comment}${body}${look.lastLineEnd ? look.lineEnd : ""}`
  })
}

function settings(): fc.Arbitrary<Record<string, unknown>> {
  const key = fc.constantFrom("a", "b c", "ü", "other", "z")
  const leaf = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom("x", "// no comment", 'q"{', "[,]"),
  )
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    ),
  }))
  const others = fc.dictionary(key, value, { maxKeys: 3 })
  return fc
    .record(
      {
        mcpServers: others,
        hooks: fc.oneof(others, fc.record({ Stop: fc.array(value, { maxLength: 2 }) })),
      },
      { requiredKeys: [] },
    )
    .chain((known) => others.map((rest) => ({ ...rest, ...known })))
}

function write(value: unknown, look: Style, choose: () => number, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => ({ key: "", item }))
    : Object.entries(value).map(([key, item]) => ({ key: `${JSON.stringify(key)}:${choose() < 8 ? " " : ""}`, item }))
  const [open, close] = isList ? "[]" : "{}"
  if (items.length === 0) return `${open}${close}`
  const isOneLine = choose() < 4
  const inner = `${indent}${look.unit}`
  const { lineEnd } = look
  const between = isOneLine ? ["", " "][choose() % 2] : lineEnd + inner
  const parts = items.map(({ key, item }, at) => {
    const isLast = at === items.length - 1
    const comma = !isLast || look.trailing ? "," : ""
    const before = choose() === 0 && !isOneLine ? `// above${lineEnd}${inner}` : choose() === 1 ? "/* in front */ " : ""
    const beforeComma = comma !== "" && choose() === 2 ? " /* odd */ " : ""
    const behind = isOneLine ? (choose() === 3 ? " /* behind */" : "") : choose() < 2 ? " // behind" : ""
    return `${before}${key}${write(item, look, choose, inner)}${beforeComma}${comma}${behind}`
  })
  const end = isOneLine
    ? ["", " "][choose() % 2]
    : `${choose() === 4 ? `${lineEnd}${inner}// end` : ""}${lineEnd}${indent}`
  return `${open}${between}${parts.join(between)}${end}${close}`
}
