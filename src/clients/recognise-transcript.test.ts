import { cpSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, sep } from "node:path"
import { expect, test } from "vitest"
import { recogniseTranscript } from "./recognise-transcript.ts"

const fixtures = join(import.meta.dirname, "..", "..", "test", "fixtures", "transcripts")
const proven = ["claude-code", "codex", "copilot-cli", "gemini-cli"]

test.each(proven)("a file of %s is told by its content, wherever it lies", (client) => {
  const folder = mkdtempSync(join(tmpdir(), "drey-recognise-"))
  const files = readdirSync(join(fixtures, client), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.jsonl?$/.test(path),
  )
  expect(files.length).toBeGreaterThan(0)
  for (const [index, file] of files.entries()) {
    const path = join(folder, `${index}${file.slice(file.lastIndexOf("."))}`)
    cpSync(join(fixtures, client, file), path)
    expect(recogniseTranscript(path), file.split(sep).join("/")).toEqual({ client, path })
  }
})

test("other files are not recognised", () => {
  const folder = mkdtempSync(join(tmpdir(), "drey-recognise-"))
  const contents = {
    "notes.md": "# Notes",
    "package.json": '{"name":"x"}',
    "log.jsonl": '{"level":30,"msg":"up"}\n',
    "empty.jsonl": "",
  }
  for (const [name, content] of Object.entries(contents)) {
    writeFileSync(join(folder, name), content)
    expect(recogniseTranscript(join(folder, name))).toBeUndefined()
  }
  expect(recogniseTranscript(join(folder, "gone.jsonl"))).toBeUndefined()
  expect(recogniseTranscript(folder)).toBeUndefined()
})
