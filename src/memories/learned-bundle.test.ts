import { expect, test } from "vitest"
import { readLearnedBundle, writeLearnedBundle } from "./learned-bundle.ts"
import type { Memory } from "./memory.ts"

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

test("a written bundle is read back", () => {
  const read = readLearnedBundle(writeLearnedBundle([memory], "2026-11-02T00:00:00Z"))
  expect(read).toMatchObject({ kind: "bundle", memories: [{ id: memory.id, key: memory.key, path_prefix: null }] })
})

test("a copy of a shared memory is marked, and nothing else is", () => {
  const shared = { ...memory, contributedBy: "member-7", sourceMemory: "m-00112233445566bb" }
  const read = readLearnedBundle(writeLearnedBundle([shared, memory], "2026-11-02T00:00:00Z"))
  if (read.kind !== "bundle") throw new Error(read.problem)
  expect(read.memories[0]).toMatchObject({ contributed_by: "member-7", source_memory_id: "m-00112233445566bb" })
  expect(read.memories[1]).not.toHaveProperty("contributed_by")
  expect(readWith({ source_memory_id: "everything" })).toMatchObject({ problem: "memory 2 is incomplete" })
})

function readWith(change: object) {
  const bundle = JSON.parse(writeLearnedBundle([memory, memory], "2026-11-02T00:00:00Z"))
  Object.assign(bundle.memories[1], change)
  return readLearnedBundle(JSON.stringify(bundle))
}

test("names and times are read only in their stored format", () => {
  const change = {
    key: "Project.Test.Command",
    scope: "repo_path",
    path_prefix: "src\\web\\",
    expires_at: "2026-12-01",
  }
  expect(readWith({ ...change, created_at: "2026-11-01T02:00:00+02:00" })).toMatchObject({
    memories: [
      {},
      {
        key: "project.test.command",
        path_prefix: "src/web",
        created_at: "2026-11-01T00:00:00.000Z",
        expires_at: "2026-12-01T00:00:00.000Z",
      },
    ],
  })
})

test.each([
  [{ confidence: 5 }, "has a confidence that is not between 0 and 1"],
  [{ key: "hunter2 is the password" }, "has a key that is not of the form project.… or user.…"],
  [{ scope: "repo_path", path_prefix: "../x" }, "has a path_prefix that is not a place in the repository"],
  [{ scope: "repo_path" }, "has a path_prefix without the scope repo_path, or that scope without one"],
  [{ path_prefix: "src" }, "has a path_prefix without the scope repo_path, or that scope without one"],
  [{ created_at: "yesterday" }, "has a date that is not a time"],
  [{ expires_at: "2026-99-99" }, "has a date that is not a time"],
  [{ updated_at: "" }, "has a date that is not a time"],
  [{ text: " " }, "has no text"],
])("a bundle with %j is refused whole", (change, problem) => {
  expect(readWith(change)).toEqual({ kind: "unreadable", problem: `memory 2 ${problem}` })
})

test.each([
  ["{", "it is not valid JSON"],
  ["[]", "it has no list of memories"],
  ['{"version":"2.0","memories":[]}', 'its version is "2.0", not "1.0"'],
  ['{"version":"1.0","memories":[{"id":"m-1"}]}', "memory 1 is incomplete"],
])("%s is refused: %s", (text, problem) => expect(readLearnedBundle(text)).toEqual({ kind: "unreadable", problem }))
