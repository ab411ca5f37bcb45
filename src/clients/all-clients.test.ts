import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, sep } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { allWirings, recognizeTranscript } from "./all-clients.ts"
import type { DreyCommand, WiredFile, WiringPlace } from "./client-wiring.ts"

const plain: DreyCommand = { command: "drey", args: [], isPortable: true }

test.each(allWirings.flatMap((wiring) => wiring.scopes.map((scope) => [wiring.name, scope, wiring] as const)))(
  "%s, %s: its files are in the right place, start the server, and name the client's own events",
  (_, scope, wiring) => {
    const { id } = wiring
    const place = makePlace(scope)
    expect(wiring.find(place)).toBeUndefined()
    const files = wiring.files(place, plain)
    for (const { path } of files) expect(path.startsWith(place.root) || path.startsWith(place.home)).toBe(true)
    if (scope === "user") for (const { path } of files) expect(path.startsWith(place.home)).toBe(true)
    const texts = files.map(valuesOf)
    if (id === "pi")
      expect(texts.join("\n")).toContain('const program = ["drey"]') // it has no MCP
    else expect(texts.join("\n")).toMatch(/"drey",(?:"args":\[)?"mcp"/)
    const lines = texts.flatMap((text) => [...text.matchAll(/drey hook (\S+) (\w+); exit 0/g)])
    for (const [, client] of lines) expect([wiring.id, "copilot-cli"]).toContain(client)
  },
)

test("a program with spaces and quotes in its path reaches the shell intact", () => {
  const command = { command: "/my tools/node", args: ["/it's/cli.cjs"], isPortable: false }
  const wiring = allWirings.find(({ id }) => id === "copilot-cli")
  const hooks = wiring?.files(makePlace("user"), command).find(({ format }) => format === "own")
  expect(hooks?.format).toBe("own")
  const [entry] = JSON.parse(hooks && "text" in hooks ? hooks.text : "{}").hooks.sessionStart
  expect(entry.bash).toBe("'/my tools/node' '/it'\\''s/cli.cjs' hook copilot-cli sessionStart; exit 0")
  expect(entry.powershell).toBe("& '/my tools/node' '/it''s/cli.cjs' hook copilot-cli sessionStart; exit 0")
})

const ownTools: Record<string, { changing: string[]; reading: string[] }> = {
  "claude-code": { changing: ["Bash", "Edit", "mcp__files__write_file", "Task"], reading: ["Read", "Grep", "Glob"] },
  codex: { changing: ["Bash", "apply_patch", "mcp__files__write_file"], reading: ["view_image"] },
  "gemini-cli": { changing: ["run_shell_command", "mcp_files_write"], reading: ["read_file", "glob"] },
  "copilot-cli": { changing: ["bash", "create", "files-write_file", "task"], reading: ["view", "grep", "glob"] },
  "vscode-copilot": { changing: ["bash", "create", "files-write_file"], reading: ["view", "grep", "glob"] },
  cursor: { changing: ["Shell", "Write", "MCP:write_file"], reading: ["Read", "Grep"] },
}

test("the hook before a tool call covers only tools that change or run something, MCP tools included", () => {
  for (const [id, { changing, reading }] of Object.entries(ownTools)) {
    const wiring = allWirings.find((each) => each.id === id)
    const text = wiring?.files(makePlace("user"), plain).map(valuesOf).join("\n") ?? ""
    const [, matcher = ""] =
      /[pP]reToolUse[^{}]*?"matcher":("(?:[^"\\]|\\.)*")|"matcher":("(?:[^"\\]|\\.)*"),"hooks":\[\{[^}]*(?:PreToolUse|BeforeTool)/
        .exec(text)
        ?.filter(Boolean) ?? []
    const pattern = new RegExp(`^(?:${JSON.parse(matcher || '""')})$`)
    for (const tool of changing) expect(pattern.test(tool), `${id} ${tool}`).toBe(true)
    for (const tool of reading) expect(pattern.test(tool), `${id} ${tool}`).toBe(false)
  }
})

function valuesOf(file: WiredFile): string {
  if (file.format === "own") return file.path.endsWith(".json") ? JSON.stringify(JSON.parse(file.text)) : file.text
  return JSON.stringify(file.format === "json" ? file.parts.map(({ value }) => value) : file.tables)
}

function makePlace(scope: WiringPlace["scope"]): WiringPlace {
  const folder = mkdtempSync(join(tmpdir(), "drey-wiring-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { root: join(folder, "root"), home: join(folder, "home"), environment: {}, platform: "linux", scope }
}

const fixtures = join(import.meta.dirname, "..", "..", "test", "fixtures", "transcripts")
const proven = ["claude-code", "codex", "copilot-cli", "gemini-cli"]

test.each(proven)("a file of %s is recognised by its content, wherever it is", (client) => {
  const folder = makeRepository({})
  const files = readdirSync(join(fixtures, client), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.jsonl?$/.test(path),
  )
  expect(files.length).toBeGreaterThan(0)
  for (const [index, file] of files.entries()) {
    const path = join(folder, `${index}${file.slice(file.lastIndexOf("."))}`)
    cpSync(join(fixtures, client, file), path)
    expect(recognizeTranscript(path), file.split(sep).join("/")).toEqual({ client, path })
  }
})

test("other files are not recognised", () => {
  const folder = makeRepository({})
  const contents = {
    "notes.md": "# Notes",
    "package.json": '{"name":"x"}',
    "log.jsonl": '{"level":30,"msg":"up"}\n',
    "empty.jsonl": "",
  }
  for (const [name, content] of Object.entries(contents)) {
    writeFileSync(join(folder, name), content)
    expect(recognizeTranscript(join(folder, name))).toBeUndefined()
  }
  expect(recognizeTranscript(join(folder, "gone.jsonl"))).toBeUndefined()
  expect(recognizeTranscript(folder)).toBeUndefined()
})
