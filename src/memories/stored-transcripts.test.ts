import { expect, test } from "vitest"
import { hashRecord } from "./stored-transcripts.ts"

test("similar ids have different hashes, and so have clients", () => {
  const seen = new Set<bigint>()
  let ids = 0
  for (let at = 0; at < 60_000; at++) {
    for (const id of [
      `session-1:${at}`,
      `${at}:session-1`,
      `b3c7d0e2-0000-4000-8000-${String(at).padStart(12, "0")}`,
    ]) {
      ids++
      seen.add(hashRecord("codex", id))
    }
  }
  expect(seen.size).toBe(ids)
  expect(hashRecord("codex", "a")).not.toBe(hashRecord("cline", "a"))
  expect([...seen].every((hash) => BigInt.asIntN(64, hash) === hash)).toBe(true)
})
