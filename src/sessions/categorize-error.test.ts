import { expect, test } from "vitest"
import { categorizeError } from "./categorize-error.ts"

test.each([
  ["timeout", "npm ERR! network timeout at: https://registry.example.org"],
  ["timeout", "the build timed out after 600 s"],
  ["permission_error", "EACCES: permission denied, open '/etc/hosts'"],
  ["permission_error", "HTTP 403 Forbidden"],
  ["provider_error", "429 Too Many Requests: rate limit reached"],
  ["validation_error", "AssertionError: expected 3 to be 4"],
  ["validation_error", "src/feed.ts(3,1): error TS2345: Argument of type 'string'"],
  ["tool_failure", "sh: chromium: command not found"],
  ["tool_failure", "make exited with code 2"],
  ["unknown", "Quoted fields hold line breaks"],
])("%s: %s", (category, text) => {
  expect(categorizeError(text)).toBe(category)
})
