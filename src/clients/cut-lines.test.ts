import fc from "fast-check"
import { expect, test } from "vitest"
import { cutLines } from "./cut-lines.ts"

test("the lines and the position are the same, wherever the chunks end", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "ü", "🦊", "}", "\n", "\r\n"), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (content, sizes) => {
      const bytes = Buffer.from(content)
      const cutter = cutLines({ offset: 0, line: 0 }, 1000)
      const lines: string[] = []
      for (let at = 0, piece = 0; at < bytes.length; piece++) {
        const reused = Buffer.from(bytes.subarray(at, at + (sizes[piece % sizes.length] ?? 1)))
        cutter.push(reused, (line, number) => {
          expect(number).toBe(lines.length + 1)
          lines.push(line?.toString() ?? "")
        })
        at += reused.length
        reused.fill(0)
      }
      expect(lines).toEqual(content.split("\n").slice(0, -1))
      expect(cutter.position()).toEqual({
        offset: Buffer.byteLength(content.slice(0, content.lastIndexOf("\n") + 1)),
        line: lines.length,
      })
    }),
  )
})

test("a line that is too long is skipped, and the next is complete", () => {
  const cutter = cutLines({ offset: 0, line: 0 }, 10)
  const lines: (string | undefined)[] = []
  for (const piece of ["short\n", "much too ", "long for this", "\nnext\n"])
    cutter.push(Buffer.from(piece), (line) => lines.push(line?.toString()))
  expect(lines).toEqual(["short", undefined, "next"])
  expect(cutter.position()).toEqual({ offset: 34, line: 3 })
})
