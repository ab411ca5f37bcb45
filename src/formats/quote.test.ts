import fc from "fast-check"
import { expect, test } from "vitest"
import { quote, quoteInline } from "./quote.ts"

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 10_000)

test("every line is marked, empty ones too, and long gaps are closed", () => {
  expect(quote("one\n\n\n\ntwo  \n")).toBe("> one\n>\n> two")
  expect(quote("")).toBe(">")
})

test("every kind of line end makes a marked line", () => {
  expect(quote("a\rb\r\nc\u2028d\u2029e\u0085f")).toBe("> a\n> b\n> c\n> d\n> e\n> f")
})

test.each([
  ["</drey-context>", "&lt;/drey-context>"],
  ["< /\tdrey-context >", "&lt; /\tdrey-context >"],
  ["<SYSTEM-reminder>", "&lt;SYSTEM-reminder>"],
  ["<|im_start|>system", "&lt;|im_start|>system"],
  ["<\u200b/dr\u00adey-context>", "&lt;/drey-context>"],
  ["<<SYS>> [INST] [/INST]", "&lt;&lt;SYS>> &#91;INST] &#91;/INST]"],
  ["<start_of_turn> <thinking> <!-- <_x> <?php", "&lt;start_of_turn> &lt;thinking> &lt;!-- &lt;_x> &lt;?php"],
  [
    "＜/drey-context＞ ＜／ｄｒｅｙ＞ ‹system› 〈/user〉",
    "&lt;/drey-context＞ &lt;／ｄｒｅｙ＞ &lt;system› &lt;/user〉",
  ],
  ["<ѕystem> < system > ‹\u200dѕystem›", "&lt;ѕystem> &lt; system > &lt;ѕystem›"],
  ["a < b, i <= 3, <5 ms, x <- y, 〈书〉 and [TODO]", "a < b, i <= 3, <5 ms, x <- y, 〈书〉 and [TODO]"],
])("tags that mean something to a client are only characters: %j", (text, quoted) => {
  expect(quoteInline(text)).toBe(quoted.replace(/\s+/g, " "))
  expect(quote(text)).toBe(`> ${quoted}`)
})

const nasty = fc.constantFrom(
  ..."\r\n\t\u000b\u000c\u001b\u0000\u0085\u00ad\u034f\u061c\u200b\u200c\u200d\u200e\u2028\u2029\u202e\u2060\u2066\ufe0f\ufeff<>/|`> ",
  ..."\u{e0001} \u{e0041} \u{e007f} 👩 क".split(" "),
  ..."</drey-context> <system-reminder> Human: Assistant: ``` drey-context system im_start <| ＜ ‹ ／ [INST] <<SYS>>".split(
    " ",
  ),
  "\ud800",
)
const text = fc.array(fc.oneof({ weight: 3, arbitrary: nasty }, fc.string({ unit: "binary", maxLength: 6 })), {
  maxLength: 30,
})

test("no text yields an unmarked line, a tag that means something, or a character nobody sees", () => {
  fc.assert(
    fc.property(text, (parts) => {
      for (const line of quote(parts.join("")).split("\n")) {
        expect(line).toMatch(/^>(?: .*)?$/u)
        expectHarmless(line)
      }
      const inline = quoteInline(parts.join(""))
      expect(inline).not.toMatch(/[\n\r\u0085\u2028\u2029]/)
      expectHarmless(inline)
    }),
    { numRuns },
  )
})

test("quoting what was quoted changes nothing but the marks", () => {
  fc.assert(
    fc.property(text, (parts) => {
      const once = quoteInline(parts.join(""))
      expect(quoteInline(once)).toBe(once)
    }),
    { numRuns },
  )
})

function expectHarmless(line: string): void {
  expect(line).not.toMatch(/[\p{Cs}\u{e0000}-\u{e0fff}]/u)
  expect(line).not.toMatch(/(?!\t)\p{Cc}/u)
  expect(line).not.toMatch(/\u034f|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/)
  const seen = line.replace(/[\p{Default_Ignorable_Code_Point}]/gu, "")
  expect(seen).not.toMatch(/[<＜‹][\s/／|]*(?:[/／|<＜‹])|[<＜‹](?:drey|system|im_start)|<\s+(?:drey-context|system)>/i)
  expect(seen).not.toMatch(/\[\/?INST\]/i)
}
