import fc from "fast-check"
import { expect, test } from "vitest"
import { canaries } from "../../../test/canaries.ts"
import { piecesOf } from "../../../test/planted-secrets.ts"
import { excerpt, longestExcerpt, placePath, placePaths } from "./excerpt.ts"

const secrets = [canaries["private key material"], canaries["access token"], canaries["connection string secret"]]

test("no secret survives, wherever the excerpt begins or ends in it", () => {
  for (const [shape, make] of secrets.flatMap((group) => Object.entries(group))) {
    const secret = make()
    for (const before of [0, 150, 190, 199]) {
      const text = `${"word ".repeat(before / 5)}${secret} and so on`
      const kept = excerpt(text)
      expect({ shape, before, leaks: leaks(kept, secret) }).toEqual({ shape, before, leaks: false })
    }
  }
})

/** Whether a usable piece of a secret occurs in a text. */
function leaks(text: string, secret: string): boolean {
  return piecesOf(secret).some((piece) => text.includes(piece))
}

test("a secret inside a log is removed, the log is kept", () => {
  const token = canaries["access token"]["GitHub ghp"]?.() ?? ""
  const log = [1, 2, 3, 4, 5, 6].map((n) => `2026-03-01T10:00:0${n}Z ERROR ${n === 3 ? token : "x"} again`).join("\n")
  expect(excerpt(log)).toContain("ERROR x again")
  expect(excerpt(log)).toContain("[redacted]")
  expect(excerpt(log)).not.toContain(token.slice(0, 12))
})

test("personal addresses are removed", () => {
  expect(excerpt("ask jo.miller@acme-shop.com about it")).toBe("ask [email] about it")
})

test("an excerpt is one line without colours, at most 200 code points, and well formed", () => {
  expect(excerpt("\u001b[31mred\u001b[0m\n\n  next\tline ")).toBe("red next line")
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "🦊", "\ud800", "@"), maxLength: 900 }),
      fc.nat(800),
      fc.nat(500),
      (text, start, length) => {
        const kept = excerpt(text, start, length)
        expect([...kept].length).toBeLessThanOrEqual(longestExcerpt)
        expect(kept).not.toMatch(/[\n\r\t]/)
        expect(() => encodeURIComponent(kept)).not.toThrow()
      },
    ),
  )
})

test("a place in the middle of a text is excerpted without its surroundings", () => {
  const text = "first line\nerror: no such table\nlast line"
  expect(excerpt(text, 11, 20)).toBe("error: no such table")
})

test.each([
  ["/work/shop/src/cart.ts", "src/cart.ts"],
  ["/work/shop", "."],
  ["./src/cart.ts", "src/cart.ts"],
  ["src\\cart.ts", "src/cart.ts"],
  ["/work/shopping/a.ts", "/work/shopping/a.ts"],
  ["/home/ada/notes.md", "~/notes.md"],
  ["C:\\Users\\ada\\notes.md", "~/notes.md"],
])("%s is %s", (path, placed) => {
  expect(placePath(path, "/work/shop")).toBe(placed)
})

test("a drive letter may be in either case", () => {
  expect(placePath("c:\\code\\shop\\src\\a.ts", "C:\\code\\shop")).toBe("src/a.ts")
})

test("the root and the home folder are removed from commands and messages, and nothing else", () => {
  expect(placePaths("cd /work/shop && cat /work/shop/src/a.ts /work/shop2/b.ts", "/work/shop")).toBe(
    "cd . && cat src/a.ts /work/shop2/b.ts",
  )
  expect(placePaths("ls /Users/ada/.cache", undefined)).toBe("ls ~/.cache")
})
