import { expect, test } from "vitest"
import { parseLogName } from "./dates.ts"

test.each([
  ["2026-06-02T21-15-30Z-parser-rewrite.md", "2026-06-02T21:15:30+00:00", "parser-rewrite"],
  ["2026-06-02T21:15:30Z-topic.md", "2026-06-02T21:15:30+00:00", "topic"],
  ["2026-06-02T2115-topic.md", "2026-06-02T21:15:00+00:00", "topic"],
  ["20260602T211530Z-topic.md", "2026-06-02T21:15:30+00:00", "topic"],
  ["20260602-topic.md", "2026-06-02T00:00:00+00:00", "topic"],
  ["2026-06-02-v0.3.0-release.md", "2026-06-02T00:00:00+00:00", "v0.3.0-release"],
  ["2026-06-02.md", "2026-06-02T00:00:00+00:00", ""],
])("the log name %s parses into time and topic", (name, timestamp, topic) => {
  expect(parseLogName(name)).toEqual({ timestamp, topic })
})

test.each(["README.md", "sprint-3-2026-06-02.md", "2026-13-02-topic.md", "2026-06.md"])(
  "%s does not begin with a date",
  (name) => {
    expect(parseLogName(name)).toBeUndefined()
  },
)
