import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { wiringNamed } from "./choose-clients.ts"
import { toldByContextFiles, wantContextFiles } from "./context-files.ts"

const block = "<!-- drey:begin -->\nLead\n\n[sem-1] directive · 2026-11-16\n> Use tabs\n<!-- drey:end -->\n"

test.each([
  ["claude-code", {}, []],
  ["claude-code", { "CLAUDE.md": "" }, ["CLAUDE.md"]],
  ["claude-code", { "CLAUDE.local.md": "" }, ["CLAUDE.local.md"]],
  ["claude-code", { "CLAUDE.md": "see @AGENTS.md" }, []],
  ["gemini-cli", {}, ["GEMINI.md"]],
  ["opencode", { "CLAUDE.md": "" }, []],
  ["copilot-cli", { "CLAUDE.md": "", "GEMINI.md": "" }, []],
  ["codex", { "CLAUDE.md": "" }, []],
])("%s with %j is led to AGENTS.md by %j", (client, files, leading) => {
  const root = makeFolder(files)
  const chosen = { wiring: wiringNamed(client), place: placeOf(root), root }
  const [first, ...others] = wantContextFiles([chosen], root, "Lead")
  expect(first?.path).toBe(join(root, "AGENTS.md"))
  expect(others.map(({ path }) => path)).toEqual(leading.map((name) => join(root, name)))
})

test("a link from CLAUDE.md to AGENTS.md leads there already", () => {
  const root = makeFolder({ "AGENTS.md": block })
  symlinkSync("AGENTS.md", join(root, "CLAUDE.md"))
  expect(wantContextFiles([{ wiring: wiringNamed("claude-code"), place: placeOf(root), root }], root, "")).toHaveLength(
    1,
  )
})

test("what stands in the block counts as told to a client that reads it, and to no other", () => {
  const told = (client: string, files: Record<string, string>) =>
    toldByContextFiles(wiringNamed(client), placeOf(makeFolder({ "AGENTS.md": block, ...files })))
  expect(told("codex", {})).toEqual(["sem-1"])
  expect(told("claude-code", {})).toEqual(["sem-1"])
  expect(told("claude-code", { "CLAUDE.md": "Be brief." })).toEqual([])
  expect(told("claude-code", { "CLAUDE.md": "<!-- drey:begin -->\n@./AGENTS.md\n<!-- drey:end -->\n" })).toEqual([
    "sem-1",
  ])
  expect(told("gemini-cli", {})).toEqual([])
  expect(toldByContextFiles(wiringNamed("codex"), placeOf(makeFolder({ "AGENTS.md": "[sem-1] quoted\n" })))).toEqual([])
})

function placeOf(root: string) {
  return { root, home: join(root, "home"), environment: {}, platform: "linux", scope: "project" } as const
}

function makeFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-context-files-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
