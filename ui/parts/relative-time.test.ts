import { expect, test } from "vitest"
import { relativeTime } from "./relative-time.ts"

const now = Date.parse("2026-03-10T12:00:00Z")

test.each([
  ["2026-03-10T11:59:40Z", "just now"],
  ["2026-03-10T11:15:00Z", "45 minutes ago"],
  ["2026-03-10T15:00:00Z", "in 3 hours"],
  ["2026-03-09T10:00:00Z", "yesterday"],
  ["2026-02-18T12:00:00Z", "20 days ago"],
  ["2025-12-24T12:00:00Z", "Dec 24, 2025"],
])("%s reads as %s", (at, words) => {
  expect(relativeTime(Date.parse(at), now)).toBe(words)
})
