import fc from "fast-check"
import { expect, test } from "vitest"
import { tokenize } from "./tokenizer.ts"

const runs = Number(process.env.DREY_PROPERTY_RUNS ?? 500)

test("plain words are stemmed, folded to lower case without accents, and stop words are left out", () => {
  expect(tokenize("We decided on the façade, deciding Ünïcode")).toEqual(["decid", "facad", "decid", "unicod"])
  expect(tokenize("don't it's we'll")).toEqual([])
})

test("an identifier is found whole in any spelling, and by its parts", () => {
  const [camel, snake, kebab] = ["userName", "user_name", "user-name"].map(tokenize)
  expect(camel).toEqual(["user", "name", "usernam"])
  expect(snake).toEqual(camel)
  expect(kebab).toEqual(camel)
  expect(tokenize("parseHTMLFile")).toEqual(["pars", "html", "file", "parsehtmlfil"])
  expect(tokenize("ADRs")).toEqual(["adr"])
})

test("a path is found whole, by its file name and by its parts", () => {
  expect(tokenize("src/index/cut-passages.ts")).toEqual(
    expect.arrayContaining(["src/index/cutpassages.ts", "cutpassages.ts", "index", "passag", "ts"]),
  )
  expect(tokenize("src\\index\\cut-passages.ts")).toEqual(tokenize("src/index/cut-passages.ts"))
})

test("versions, issue numbers and names with symbols keep them", () => {
  expect(tokenize("v0.3.0")).toEqual(["0.3.0", "0.3"])
  expect(tokenize("#123")).toEqual(["123", "#123"])
  expect(tokenize("C++ C# .NET")).toEqual(expect.arrayContaining(["c++", "c#", ".net", "net"]))
  expect(tokenize("node.js")).toContain("node.js")
  expect(tokenize("python3")).toEqual(expect.arrayContaining(["python3", "python"]))
})

test("an e-mail address is not indexed", () => {
  expect(tokenize("ask jane.doe@example.com")).toEqual(["ask"])
})

test("scripts without spaces are found by pairs of characters", () => {
  expect(tokenize("日本語")).toEqual(["日本", "本語"])
})

test("no text makes it throw, and no token contains white space or a quotation mark", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ maxLength: 300 })), (text) => {
      for (const token of tokenize(text)) expect(token).toMatch(/^[^\s"]+$/)
    }),
    { numRuns: runs },
  )
})

test("a text contains every token of any word in it", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_./#-]{1,30}$/)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
      const tokens = new Set(tokenize(words.join(" ")))
      for (const each of words) for (const token of tokenize(each)) expect(tokens).toContain(token)
    }),
    { numRuns: runs },
  )
})

test("time grows linearly with the text, whatever its content", () => {
  for (const unit of ["a", "-", "a.", "aB", "/x", "@a", "1.", "日", "é", "#1", "'s"]) {
    const cost = (length: number) => {
      const before = process.cpuUsage()
      tokenize(unit.repeat(length / unit.length))
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    cost(20_000)
    expect(cost(800_000)).toBeLessThan(40 * cost(40_000) + 1_000_000) // twice its share, and a second for a busy machine
  }
})
