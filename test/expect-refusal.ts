import { expect } from "vitest"
import type { CliResult } from "./run-cli.ts"

/** For tests: the command ran, said what is wrong in words of its own, and its exit code says so too. */
export function expectRefusal(result: CliResult, sentence: RegExp): void {
  expect(result.stdout + result.stderr).toMatch(sentence)
  expectNoBug(result)
  expect([1, 2]).toContain(result.code)
}

export function expectNoBug({ code, stderr }: CliResult): void {
  expect(stderr).not.toContain("internal error")
  expect(stderr).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m)
  expect([0, 1, 2]).toContain(code)
}
