import { expect, test } from "vitest"
import { findPastDay } from "./quality-report.ts"

const now = Date.UTC(2026, 5, 15)

test.for([
  ["On hold until 2025-03-01", "2025-03-01"],
  ["The release is planned for Q2 2024", "2024-06-30"],
  ["Old clients work until March 2026", "2026-03-31"],
  ["Deadline is June 14th, 2026", "2026-06-14"],
  ["The freeze ends on 2026-06-15", undefined],
  ["Planned for Q2 2026", undefined],
  ["Decided on 2025-03-01", undefined],
  ["Use tabs by default", undefined],
])("%s", ([text, day]) => {
  expect(findPastDay(text ?? "", now)).toBe(day)
})
