import fc from "fast-check"
import { expect, test } from "vitest"
import { findInformativeLine, fingerprint } from "./error-line.ts"

test("the same failure with another time, place and number has the same fingerprint", () => {
  const one = "2026-03-01T10:00:01.123Z Error: /home/ada/shop/src/cart.ts:12:5 item 4711 of order 0xdeadbeef is gone"
  const other = "2026-04-02T23:59:59Z Error: /tmp/build-77/src/cart.ts:99:1 item 8 of order 0xcafebabe is gone"
  expect(fingerprint(one)).toBe(fingerprint(other))
  expect(fingerprint(one)).toContain("cart.ts")
})

test.each([
  ["Cannot find module './cart'", 'Cannot find module "../basket"'],
  ["run 6f1c2a3e-1111-4222-8333-444455556666 failed", "run 0a1b2c3d-9999-4888-8777-666655554444 failed"],
  ["commit 4f2a91c not found", "commit 0011aa22bb33 not found"],
  ["line 12: unexpected end", "line 7: unexpected end"],
])("%j is %j", (one, other) => {
  expect(fingerprint(one)).toBe(fingerprint(other))
})

test("other failures have other fingerprints", () => {
  expect(fingerprint("TypeError: x is not a function")).not.toBe(fingerprint("TypeError: x is undefined"))
})

test("a line without words has none, and none is longer than 160", () => {
  expect(fingerprint("12:30:01 --- 4711")).toBeUndefined()
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), (line) => {
      expect((fingerprint(line) ?? "").length).toBeLessThanOrEqual(160)
    }),
  )
})

test.each([
  ["Exit code 1\n> app@1.0.0 build\n> tsc\n\nsrc/a.ts(3,4): error TS2322: Type", "src/a.ts(3,4): error TS2322: Type"],
  ['Traceback (most recent call last):\n  File "a.py", line 1\nValueError: no', "ValueError: no"],
  ["=== RUN TestCart\n    cart_test.go:31: got 8, want 4\n--- FAIL: TestCart", "    cart_test.go:31: got 8, want 4"],
  [
    '$ biome check\n × Formatter would have printed\nerror: script "lint" exited with code 1',
    " × Formatter would have printed",
  ],
  ["psql:a.sql:1: ERROR:  permission denied\nmake: *** [migrate] Error 3", "psql:a.sql:1: ERROR:  permission denied"],
  ["Rebasing (1/22)\rRebasing (2/22)\rerror: could not apply fb89908", "error: could not apply fb89908"],
  ["nothing that looks like it", "nothing that looks like it"],
])("the most informative line of %j is %j", (text, line) => {
  const found = findInformativeLine(text)
  expect(text.slice(found?.start, found?.end)).toBe(line)
})

test("hostile lines take no extra time", () => {
  const lines = [
    `${"a".repeat(6000)}: `,
    `${"a.".repeat(3000)}Err`,
    `${" ".repeat(6000)}x`,
    `"${"\\".repeat(6000)}`,
    `${"/a".repeat(3000)}`,
  ]
  const start = process.cpuUsage()
  for (const line of lines) {
    findInformativeLine(line)
    fingerprint(line)
  }
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(200)
})
