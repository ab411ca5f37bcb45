import fc from "fast-check"
import { expect, test } from "vitest"
import {
  cleanMemoryText,
  clip,
  didYouMean,
  escapeInvisible,
  firstInformativeLine,
  hasRuleWords,
  parsePathPrefix,
  quote,
  quoteInline,
  removeInvisible,
  removeInvisibleInLines,
  truncate,
} from "./text.ts"

test("controls, direction marks, invisible and tag characters are removed; line feeds and tabs stay", () => {
  expect(removeInvisible("a\u001b[31m\u0007\u0085b\u00ad\u061c\u202e\u2066\ufeff\u{e0041}\ud800\n\tc")).toBe(
    "a[31mb\n\tc",
  )
})

test.each([
  ["क्\u200dष", "a joiner in Devanagari"],
  ["می\u200cخواهم", "a non-joiner in Persian"],
  ["👩\u200d💻 ❤\ufe0f\u200d🔥", "emoji made of several"],
  ["naïve — „Größe“ 東京 ✓", "other scripts and signs"],
])("visible characters stay: %s (%s)", (text) => {
  expect(removeInvisible(text)).toBe(text)
})

test("a joiner within plain letters is removed, because it only hides something", () => {
  expect(removeInvisible("sys\u200dtem ig\u200cnore x\ufe0f")).toBe("system ignore x")
})

test("other line ends become line feeds, and a lone carriage return is removed", () => {
  expect(removeInvisibleInLines("a\r\nb\u2028c\u2029d\re")).toBe("a\nb\nc\nde")
})

test("JSON with escapes parses to the same value", () => {
  const value = { "k\u009bey": "a\u0000\u001b\u007f\u0085\u202e\u2028\u{e0041}b", joined: "👩\u200d💻" }
  const json = escapeInvisible(JSON.stringify(value))
  expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/)
  expect(json).toContain("👩\u200d💻")
  expect(JSON.parse(json)).toEqual(value)
})

test("a text is cut by code points, never within one", () => {
  expect(truncate("abc", 3)).toBe("abc")
  expect(truncate("abcd", 3)).toBe("ab…")
  expect(truncate("🦊🦊🦊", 3)).toBe("🦊🦊🦊")
  expect(truncate("🦊🦊🦊🦊", 3)).toBe("🦊🦊…")
})

test("whatever the text, the result is well formed and not too long", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "🦊", "é", " ") }),
      fc.integer({ min: 1, max: 50 }),
      (text, most) => {
        const cut = truncate(text, most)
        expect([...cut].length).toBeLessThanOrEqual(most)
        expect(() => encodeURIComponent(cut)).not.toThrow()
        if ([...text].length <= most) expect(cut).toBe(text)
      },
    ),
  )
})

const numRuns = Number(process.env.DREY_PROPERTY_RUNS ?? 1_000)

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
])("tags that mean something to a client become plain characters: %j", (text, quoted) => {
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

test("no text yields an unmarked line, a meaningful tag, or an invisible character", () => {
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

test("quoting a quotation changes nothing but the marks", () => {
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

test("a memory is one line without invisible characters", () => {
  expect(cleanMemoryText("  Use\u0000 pnpm,\n\tnot\u200b npm.\u001b[31m ")).toBe("Use pnpm, not npm.[31m")
})

test("two sentences are kept, the third is dropped", () => {
  expect(cleanMemoryText("Use v1.2 of it. It is fast. It is new.")).toBe("Use v1.2 of it. It is fast.")
  expect(cleanMemoryText("常に pnpm を使う。npm は使わない。理由は速さ。")).toBe("常に pnpm を使う。npm は使わない。")
})

test("a text is cut at 300 code points, never within a character", () => {
  const cut = cleanMemoryText("🦊".repeat(400))
  expect([...cut]).toHaveLength(300)
  expect(cut).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
  expect(clip("one two three four", 12)).toBe("one two…")
})

test("the first line with content represents a text", () => {
  expect(firstInformativeLine("\n\n  The parser is\tstrict.\nIt always was.")).toBe("The parser is strict.")
  expect(firstInformativeLine(" \n ")).toBe("")
})

test("a line that introduces a list is shown with its items, as far as they fit", () => {
  expect(firstInformativeLine("Available:\n- lamps\n\n* doors\nAnd more.\n- windows")).toBe("Available: lamps; doors")
  const many = Array.from({ length: 50 }, (_, at) => `- item ${at}`).join("\n")
  const told = firstInformativeLine(`Available:\n${many}`)
  expect(told.length).toBeLessThanOrEqual(160)
  expect(told).toMatch(/^Available: item 0; item 1;.*; item \d+$/)
})

test("a label without a list is shown with the line after it, and a long line is cut", () => {
  expect(firstInformativeLine("Cause:\nthe cache was cold")).toBe("Cause: the cache was cold")
  expect(firstInformativeLine("Cause:")).toBe("Cause:")
  expect(firstInformativeLine(`Cause:\n- ${"long ".repeat(100)}`).length).toBeLessThanOrEqual(160)
})

test("a missing, wrong, extra or swapped letter is corrected", () => {
  const meant = (word: string) => didYouMean(word, ["type", "author", "tag", "scope"])
  expect(["tpye", "Authr", "tags", "scop", "autohr", "tipe"].map(meant)).toEqual([
    "type",
    "author",
    "tag",
    "scope",
    "author",
    "type",
  ])
})

test("the nearest candidate wins, and without a near one there is none", () => {
  expect(didYouMean("noted", ["node", "note"])).toBe("note")
  expect(didYouMean("http", ["type", "author"])).toBeUndefined()
  expect(didYouMean("", ["id"])).toBeUndefined()
})

test.each(["Always use tabs.", "we NEVER mock", "From now on use pnpm", "going forward: squash"])(
  "%s has them",
  (text) => expect(hasRuleWords(text)).toBe(true),
)

test.each(["Fix the login", "nevertheless it fails", "go forward", ""])("%s has none", (text) =>
  expect(hasRuleWords(text)).toBe(false),
)

test.each([
  ["packages\\api\\", "packages/api"],
  ["./src//web/", "src/web"],
  ["src/a/../b", "src/b"],
  [" README.md ", "README.md"],
])("the path %s is stored as %s", (text, prefix) => expect(parsePathPrefix(text)).toBe(prefix))

test.each(["../other", "a/../../b", "src/../..", "/etc", "C:\\work", "~/x", "src/*", "a\nb", ".", "src/..", ""])(
  "%j is not a path in a repository",
  (text) => expect(parsePathPrefix(text)).toBeUndefined(),
)
