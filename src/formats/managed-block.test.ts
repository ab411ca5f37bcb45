import fc from "fast-check"
import { expect, test } from "vitest"
import { readManagedBlock, removeManagedBlock, renderJson, writeManagedBlock } from "./managed-block.ts"

const block = "<!-- drey:begin -->\nUse tabs.\n<!-- drey:end -->"

test.each([
  ["an empty file", "", `${block}\n`],
  ["a text", "# Rules\n", `# Rules\n\n${block}\n`],
  ["a text without a last line end", "# Rules", `# Rules\n\n${block}`],
  ["CRLF", "# Rules\r\n", `# Rules\r\n\r\n${block.replaceAll("\n", "\r\n")}\r\n`],
  ["a byte order mark", "\uFEFF# Rules\n", `\uFEFF# Rules\n\n${block}\n`],
  ["nothing but two byte order marks", "\uFEFF\uFEFF", `\uFEFF\uFEFF${block}\n`],
])("a block is added at the end and removed without a trace: %s", (_, text, written) => {
  expect(writeManagedBlock(text, "Use tabs.")).toBe(written)
  expect(readManagedBlock(written)).toBe("Use tabs.")
  expect(removeManagedBlock(written)).toBe(text)
})

test("an existing block is replaced in place, and everything around it stays", () => {
  const text = `# A\n\n${block}\n\n## B\r\n`
  const written = writeManagedBlock(text, "Use spaces.\n\nAlways.")
  expect(written).toBe(text.replace("Use tabs.", "Use spaces.\n\nAlways."))
  expect(removeManagedBlock(written)).toBe("# A\n\n## B\r\n")
})

test("a marker within a line, or one without its end, is not a block", () => {
  for (const text of ["See <!-- drey:begin --> there\n<!-- drey:end -->\n", "<!-- drey:begin -->\nUse tabs.\n"]) {
    expect(readManagedBlock(text)).toBeUndefined()
    expect(removeManagedBlock(text)).toBe(text)
  }
})

test("a begin marker without an end does not extend into a later block", () => {
  const text = "<!-- drey:begin -->\nMine.\n"
  const written = writeManagedBlock(text, "Use tabs.")
  expect(written).toBe(`${text}\n${block}\n`)
  expect(readManagedBlock(written)).toBe("Use tabs.")
  expect(writeManagedBlock(written, "Use spaces.")).toBe(written.replace("tabs", "spaces"))
  expect(removeManagedBlock(written)).toBe(text)
})

test("after a space in an otherwise empty file the block has separate lines", () => {
  expect(readManagedBlock(writeManagedBlock(" ", "Use tabs."))).toBe("Use tabs.")
})

test("a carriage return at the end of a text stays when the block after it is removed", () => {
  expect(removeManagedBlock(writeManagedBlock("# Rules\r", "Use tabs."))).toBe("# Rules\r")
})

test("a value that fits on a line stays on one, and the rest is broken up", () => {
  const long = "x".repeat(60)
  expect(renderJson({ a: [1, { b: null }] })).toBe('{ "a": [1, { "b": null }] }')
  expect(renderJson({ a: [long, long] }, { unit: "\t", indent: "  " })).toBe(
    `{\n  \t"a": [\n  \t\t"${long}",\n  \t\t"${long}"\n  \t]\n  }`,
  )
  expect(renderJson({ a: { b: {} } }, { open: 1 })).toBe('{\n  "a": { "b": {} }\n}')
})

test("the output parses to the input", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), (value, open) => {
      expect(JSON.parse(renderJson(value, { open }))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
