import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { wiringNamed } from "./connect-plan.ts"
import { blockReadBy, entriesInBoth, wantContextFiles } from "./context-files.ts"

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
])("%s with %j is pointed to AGENTS.md by %j", (client, files, leading) => {
  const root = makeFolder(files)
  const chosen = { wiring: wiringNamed(client), place: placeOf(root), root }
  const [first, ...others] = wantContextFiles([chosen], root, "Lead")
  expect(first?.path).toBe(join(root, "AGENTS.md"))
  expect(others.map(({ path }) => path)).toEqual(leading.map((name) => join(root, name)))
})

test("a link from CLAUDE.md to AGENTS.md counts as reading it", () => {
  const root = makeFolder({ "AGENTS.md": block })
  symlinkSync("AGENTS.md", join(root, "CLAUDE.md"))
  expect(wantContextFiles([{ wiring: wiringNamed("claude-code"), place: placeOf(root), root }], root, "")).toHaveLength(
    1,
  )
})

test.each([
  ["codex", {}, true],
  ["claude-code", {}, true],
  ["claude-code", { "CLAUDE.md": "Be brief." }, false],
  ["claude-code", { "CLAUDE.md": "<!-- drey:begin -->\n@./AGENTS.md\n<!-- drey:end -->\n" }, true],
  ["gemini-cli", {}, false],
  ["codex", { "AGENTS.md": "[sem-1] quoted\n" }, false],
])("%s with %j reads the block: %j", (client, files, isRead) => {
  const place = placeOf(makeFolder({ "AGENTS.md": block, ...files }))
  expect(blockReadBy(wiringNamed(client), place) !== undefined).toBe(isRead)
})

test("an entry of a block counts as read if its text is current, at any line", () => {
  const entry = (id: string, line: number, words: string) =>
    `[${id}] directive · 2026-11-16\n> Kane · .squad/decisions.md:${line}\n> ${words}\n>\n> So be it.`
  const written = [
    "Lead",
    entry("sem-1", 5, "Use tabs."),
    entry("sem-2", 9, "Use npm."),
    entry("sem-3", 12, "Be kind."),
  ]
  const now = ["Lead", entry("sem-4", 5, "Use pnpm."), entry("sem-1", 7, "Use tabs."), entry("sem-2", 9, "Use pnpm.")]
  expect(entriesInBoth(written.join("\n\n"), now.join("\n\n"))).toEqual(["sem-1"])
  expect(entriesInBoth(written.join("\n\n").replaceAll("\n", "\r\n"), now.join("\n\n"))).toEqual(["sem-1"])
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
