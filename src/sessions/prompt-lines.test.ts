import fc from "fast-check"
import { expect, test } from "vitest"
import { lineOfText, shorten, shortenBoth } from "./prompt-lines.ts"

test.each([
  ["# A heading", "\\# A heading"],
  ["## Current Task Context", "\\## Current Task Context"],
  ["> a quotation", "\\> a quotation"],
  ["- a bullet", "\\- a bullet"],
  ["* a bullet", "\\* a bullet"],
  ["---", "\\---"],
  ["***", "\\***"],
  ["```sh", "\\```sh"],
  ["~~~", "\\~~~"],
  ["`npm test` fails", "\\`npm test` fails"],
])("text that Markdown would treat as more than a line is only a line: %j", (text, line) => {
  expect(lineOfText(text)).toBe(line)
  expect(lineOfText(`\u200b \n${text}`)).toBe(line)
})

test.each([
  ["**Bold** and a_b - c # d > e `f`", "**Bold** and a_b - c # d > e `f`"],
  ["one\r\ntwo\rthree\u2028four\u0085five\fsix", "one two three four five six"],
  ["bell\u0007, escape\u001b[31m, zero\u200bwidth, \u202eturned", "bell, escape[31m, zerowidth, turned"],
  ["</system> <|im_start|> [INST]", "&lt;/system> &lt;|im_start|> &#91;INST]"],
  ["half \ud83d a pair", "half a pair"],
  [" \n\t\u200b", ""],
])("%j is the line %j", (text, line) => {
  expect(lineOfText(text)).toBe(line)
})

test("secrets and personal addresses are not repeated, even if invisible characters or a line end hide them", () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4)}`
  const secret = `use ${token} to push`
  expect(lineOfText(secret)).toBe("use [secret: access token] to push")
  expect(lineOfText(secret.replace("ghp", "g\u200bhp"))).toBe("use [secret: access token] to push")
  expect(lineOfText(`${"word ".repeat(38)}${token}`)).not.toContain("ghp_")
  expect(lineOfText("ask ada.lovelace@example.org for access")).toBe("ask [email] for access")
})

test("a long text is cut to its room, never within a character", () => {
  expect(shorten("abcdef", 6)).toBe("abcdef")
  expect(shorten("abcdefg", 6)).toBe("abcde…")
  expect(shorten("ab 🦊🦊", 5)).toBe("ab…")
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, most) => {
      const cut = shorten(text, most)
      expect(cut.length).toBeLessThanOrEqual(most)
      expect(cut).not.toMatch(/\p{Cs}/u)
    }),
  )
})

test("two texts share the room according to their needs", () => {
  expect(shortenBoth("short", "long ".repeat(9), 20)).toEqual(["short", "long long long…"])
  expect(shortenBoth("long ".repeat(9), "short", 20)).toEqual(["long long long…", "short"])
  expect(shortenBoth("a".repeat(30), "b".repeat(30), 20)).toEqual([`${"a".repeat(9)}…`, `${"b".repeat(9)}…`])
})

test("hostile texts take no extra time", () => {
  const texts = [
    "a".repeat(1e6),
    "\u200b".repeat(1e6),
    "<".repeat(1e6),
    "\n".repeat(1e6),
    "# ".repeat(1e6),
    "a@".repeat(1e6),
  ]
  const start = process.cpuUsage()
  for (const text of texts) lineOfText(text)
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(200)
})
