import { expect, test } from "vitest"
import type { Section } from "./sections.ts"
import { describeRun, putSection } from "./write-page.ts"

const section = (name: string, prints: Section["prints"] = "markdown"): Section => {
  return { name, title: `On ${name}`, about: `About ${name}.`, script: `${name}.ts`, args: () => [], prints }
}
const order = [section("first"), section("second", "text"), section("third")]
const [first, second, third] = order as [Section, Section, Section]

test("a section measured again takes its own place, and the others keep their bytes", () => {
  const page = putSection(putSection("", order, third, "three"), order, first, "one")
  expect(page.indexOf("On first")).toBeLessThan(page.indexOf("On third"))
  const again = putSection(page, order, first, "one, better")
  expect(again).toContain("one, better")
  expect(again.slice(again.indexOf("## On third"))).toBe(page.slice(page.indexOf("## On third")))
  expect(putSection(again, order, second, "two").match(/^## .*$/gm)).toEqual([
    "## On first",
    "## On second",
    "## On third",
  ])
  expect(putSection(again, order, first, "one, better")).toBe(again)
})

test("headings of a benchmark are below that of its section; output that is not Markdown is fenced", () => {
  expect(describeRun(first, ["--quick"], "## Sizes\n\n| a |\n", "2026-01-02")).toMatch(
    /^`node scripts\/run-ts.mjs bench\/first.ts --quick` on 2026-01-02; .*Node \d+\.[\s\S]*\n### Sizes\n\n\| a \|\n$/,
  )
  expect(describeRun(second, [], "# plain\n", "2026-01-02")).toContain("```text\n# plain\n```")
})
