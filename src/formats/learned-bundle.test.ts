import { expect, test } from "vitest"
import type { Memory } from "../store/memory.ts"
import { readLearnedBundle, writeLearnedBundle } from "./learned-bundle.ts"

const memory = {
  id: "m-00112233445566aa",
  project: "p-0011223344556677",
  scope: "project",
  pathPrefix: undefined,
  owner: { type: "user", id: "mira" },
  kind: "invariant",
  tier: "short_term",
  polarity: 1,
  key: "project.package_manager",
  text: "This project uses pnpm, not npm.",
  status: "provisional",
  confidence: 0.9,
  expires: undefined,
  created: "2026-11-01T00:00:00Z",
  updated: "2026-11-01T00:00:00Z",
} as Memory

test("what is written is read again", () => {
  const read = readLearnedBundle(writeLearnedBundle([memory], "2026-11-02T00:00:00Z"))
  expect(read).toMatchObject({ kind: "bundle", memories: [{ id: memory.id, key: memory.key, path_prefix: null }] })
})

test.each([
  ["{", "it is no JSON"],
  ["[]", "it has no list of memories"],
  ['{"version":"2.0","memories":[]}', 'its version is "2.0", not "1.0"'],
  ['{"version":"1.0","memories":[{"id":"m-1"}]}', "memory 1 is not complete"],
])("%s is refused: %s", (text, problem) => expect(readLearnedBundle(text)).toEqual({ kind: "unreadable", problem }))
