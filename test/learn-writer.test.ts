import { chmodSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { startFakeModel } from "./fake-model.ts"
import { learningPlace, say } from "./learning-place.ts"
import { makeRepository, writeFiles } from "./run-cli.ts"

const answer = JSON.stringify({
  ops: [
    {
      op: "ADD",
      kind: "preference",
      text: "Ask the user before pushing.",
      confidence: 0.9,
      evidence: { source: "explicit_statement", quote: "ask me before you push", event: 0 },
    },
  ],
})

test("a server is chosen by its URL, tried on a real task, and then writes the memories", async () => {
  const it = learningPlace()
  const model = await startFakeModel({ text: answer }, { text: answer })
  onTestFinished(() => model.close())
  say(it, "Fix the login page, and ask me before you push")
  writeFiles(it.env.DREY_HOME, { "config.json": '{"recall":{"show":true}}' })
  const chosen = await it.run("ingest", "--writer", `${model.url}/v1`, "--model", "small")
  expect(chosen.stdout).toMatch(/^From now on small at .* writes memories. Nothing leaves this machine\./)
  expect(JSON.parse(readFileSync(join(it.env.DREY_HOME, "config.json"), "utf8"))).toEqual({
    recall: { show: true },
    writer: { kind: "model", provider: "openai-compatible", baseUrl: `${model.url}/v1`, model: "small" },
  })
  expect(model.requests).toEqual([])
  expect((await it.run("ingest")).stdout).toContain("preference: Ask the user before pushing.")
  const { stdout } = await it.run("ingest", "--writer", "test")
  expect(stdout).toContain("What it is sent")
  expect(stdout).toContain('"role":"user","text":"Fix the login page, and ask me before you push"')
  expect(stdout).toContain(`What it answers\n\n${answer}`)
  expect(stdout).toContain("What would be kept\n\npreference: Ask the user before pushing.  explicit_statement, 0.9")
  expect(model.requests).toHaveLength(2)
})

test("a coding agent is chosen by its name, and asked in print mode", async () => {
  const folder = makeRepository({ claude: `#!/bin/sh\ncat > "$0.prompt"\necho '${answer}'\n` })
  chmodSync(join(folder, "claude"), 0o755)
  const it = learningPlace()
  Object.assign(it.env, { PATH: `${folder}:${process.env.PATH}` })
  say(it, "Fix the login page, and ask me before you push")
  expect((await it.run("ingest", "--writer", "claude")).stdout).toContain("is sent to Anthropic, without secrets")
  expect((await it.run("ingest")).stdout).toContain("preference: Ask the user before pushing.")
  expect(readFileSync(join(folder, "claude.prompt"), "utf8")).toMatch(/^<drey-writer>\nYou keep the memory/)
})

test("without a terminal the writers are listed with their costs, and nothing is chosen", async () => {
  const it = learningPlace()
  const { code, stdout } = await it.run("ingest", "--writer")
  expect([code, stdout]).toEqual([0, expect.stringContaining("per task: free; stays on this machine")])
  expect(stdout).toContain("Choose one with: drey learn --writer NAME")
  const none = await it.run("ingest", "--writer", "cleverer")
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('The writer "cleverer" is not on this machine')])
  const untested = await it.run("ingest", "--writer", "test")
  expect([untested.code, untested.stderr]).toEqual([1, expect.stringContaining("There is no task to test the writer")])
})
