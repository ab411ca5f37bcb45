import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { entryTypes } from "../src/formats/entry.ts"
import { writeEntry } from "../src/formats/entry-writer.ts"
import { findFences } from "../src/formats/markdown.ts"
import { readSemEntry } from "../src/formats/sem-entry.ts"
import { parseSemHeader } from "../src/formats/sem-grammar.ts"
import { readSkill } from "../src/formats/skill.ts"
import { trimBlankLines } from "../src/formats/source-text.ts"
import { parseTimestamp } from "../src/formats/timestamp.ts"
import { makeRepository } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

test("the skills Drey installs are valid and small enough to load", () => {
  for (const [name, limit] of [
    ["drey-memory-format", 8192] as const,
    ["drey-conventions", 4096] as const,
    ["drey-sessions", 4096] as const,
  ]) {
    expect(readTemplate(name)).toMatchObject({
      confidence: "high",
      source: "manual",
      version: "1.2.0",
      diagnostics: [],
    })
    expect(Buffer.byteLength(readTemplate(name).body)).toBeLessThan(limit)
  }
})

test("the skill shows every entry type, each exactly as Drey writes it", () => {
  const examples = [...readTemplate("drey-memory-format").body.matchAll(/```markdown\n(### .*?)```/gs)]
  const types = examples.map(([, text = ""]) => {
    const [first = "", ...rest] = text.split("\n")
    const header = parseSemHeader(first)
    if (!header) throw new Error(`not an entry heading: ${first}`)
    const lines = trimBlankLines(rest).slice(0, -1) // without the closing ---
    const { entry, diagnostics } = readSemEntry({ header, line: 1, lines, fenced: findFences(lines).fenced })
    expect(diagnostics).toEqual([])
    expect(writeEntry(entry)).toBe(text)
    return entry.type
  })
  expect(types).toEqual(["decision", ...entryTypes]) // the first is what an agent without Drey writes
})

test("without Drey the skill's own command prints a time that an entry can have", () => {
  const line = /^date .*?(?= +#)/m.exec(readTemplate("drey-memory-format").body)?.[0] ?? ""
  const printed = execFileSync("sh", ["-c", line], { encoding: "utf8" }).trim()
  const written = parseSemHeader(`### ${printed}: decision: One search index`)
  expect(written?.when.kind).toBe("time")
  expect(Math.abs(Date.parse(parseTimestamp(printed) ?? "") - Date.now())).toBeLessThan(60_000)
})

test("every command that a skill names exists", async () => {
  const commands = ["drey-memory-format", "drey-conventions", "drey-sessions"].flatMap((name) =>
    [...readTemplate(name).body.matchAll(/\bdrey ((?:memory )?[a-z][a-z-]*)/g)].map(([, words = ""]) => words),
  )
  expect(commands).toContain("context")
  for (const words of new Set(commands)) {
    const { code, stdout } = await runWarm([...words.split(" "), "--help"], { cwd: makeRepository({}) })
    expect([words, code]).toEqual([words, 0])
    expect(stdout).toContain(`Usage: drey ${words} `)
  }
})

function readTemplate(name: string) {
  return readSkill(readFileSync(new URL(`../templates/skills/${name}/SKILL.md`, import.meta.url), "utf8"), name)
}
