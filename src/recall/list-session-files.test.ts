import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { listSessionFiles, withoutSessions } from "./list-session-files.ts"

const [one, other] = ["20260123-103000-abc1def2-slow-lamp", "20260124-080000-00aa11bb-loud-door"]

function keysIn(root: string): string[] {
  return listSessionFiles(root, join(root, ".squad/sessions"))
    .map(({ key }) => key.slice(".squad/sessions/".length))
    .sort()
}

test("the notes of every agent in every session are listed, archives too, and nothing else", () => {
  const root = makeRepository({
    [`.squad/sessions/${one}/agent-memory.yaml`]: "x",
    [`.squad/sessions/${one}/agent-memory.tester.yaml`]: "x",
    [`.squad/sessions/${one}/agent-memory-archive.tester.yaml`]: "x",
    [`.squad/sessions/${other}/agent-memory-archive.yaml`]: "x",
    [`.squad/sessions/${one}/agent-memory.yaml.v1.bak`]: "x",
    [`.squad/sessions/${one}/agent-memory.yaml.corrupt-20260123T103000Z`]: "x",
    [`.squad/sessions/${one}/context.yaml`]: "x",
    [`.squad/sessions/${one}/.drey/agent-memory.yaml`]: "x",
    ".squad/sessions/not-a-session/agent-memory.yaml": "x",
    ".squad/sessions/.gitignore": "*",
  })
  expect(keysIn(root)).toEqual([
    `${one}/agent-memory-archive.tester.yaml`,
    `${one}/agent-memory.tester.yaml`,
    `${one}/agent-memory.yaml`,
    `${other}/agent-memory-archive.yaml`,
  ])
})

test("where there is no folder of sessions there is nothing", () => {
  expect(keysIn(makeRepository({ ".squad/team.md": "" }))).toEqual([])
})

test("links are not followed: neither a session's nor a file's", () => {
  const elsewhere = makeRepository({ [`${one}/agent-memory.yaml`]: "x", "secret.yaml": "x" })
  const root = makeRepository({ ".squad/team.md": "" })
  mkdirSync(join(root, ".squad/sessions", other), { recursive: true })
  symlinkSync(join(elsewhere, one), join(root, ".squad/sessions", one))
  symlinkSync(join(elsewhere, "secret.yaml"), join(root, ".squad/sessions", other, "agent-memory.yaml"))
  expect(keysIn(root)).toEqual([])
})

test.skipIf(process.getuid?.() === 0)("a folder that may not be looked into stands for its notes", () => {
  const root = makeRepository({ [`.squad/sessions/${one}/agent-memory.tester.yaml`]: "x" })
  chmodSync(join(root, ".squad/sessions", one), 0)
  expect(keysIn(root)).toEqual([`${one}/agent-memory.yaml`])
  chmodSync(join(root, ".squad/sessions"), 0)
  expect(keysIn(root)).toEqual(["*/agent-memory.yaml"])
  chmodSync(join(root, ".squad/sessions"), 0o700)
})

test("a question about all else does not see what is known of sessions", () => {
  const root = makeRepository({ [`.squad/sessions/${one}/agent-memory.tester.yaml`]: "x" })
  writeFileSync(join(root, ".squad/sessions", one, "agent-memory.yaml"), "x")
  const keys = listSessionFiles(root, join(root, ".squad/sessions")).map(({ key }) => key)
  const known = new Map([...keys, ".squad/decisions.md", "records", "learned"].map((key) => [key, ""]))
  expect([...withoutSessions(known).keys()]).toEqual([".squad/decisions.md", "records", "learned"])
})
