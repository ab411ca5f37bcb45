import { expect, test } from "vitest"
import { mentionsError } from "./error-advice.ts"

test.each([
  [
    '`npm test` fails with "Cannot find module generated/client.js"; run the codegen.',
    "Error: Cannot find module './generated/client.js'",
  ],
  [
    "With a stale cache: relation invoices does not exist. Run the migrations.",
    'ERROR:  relation "invoices" does not exist at character 15',
  ],
  [
    "We saw `ReferenceError: window is not defined` in the tests: use jsdom.",
    "src/app.test.ts:12:3 - ReferenceError: window is not defined",
  ],
  [
    "listen EADDRINUSE: address already in use :::3000 means a server is left over",
    "Error: listen EADDRINUSE: address already in use :::8080",
  ],
])("%j mentions %j", (text, line) => {
  expect(mentionsError(text, line)).toBe(true)
})

test.each([
  ["Doors do not exist in the tower.", 'ERROR:  relation "invoices" does not exist'],
  ["A module that cannot be found is an error of the build.", "Error: Cannot find module './generated/client.js'"],
  ["The command failed with exit code 1.", "error: the command failed with exit code 2"],
  ["`TypeError` is not a function name.", "TypeError: client.connect is not a function"],
  ["", "Error: x"],
  ["Error: x", ""],
])("%j does not mention %j", (text, line) => {
  expect(mentionsError(text, line)).toBe(false)
})
