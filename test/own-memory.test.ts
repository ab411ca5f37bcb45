import { resolve } from "node:path"
import { expect, test } from "vitest"
import { runCli } from "./run-cli.ts"

const root = resolve(import.meta.dirname, "..")

test("this repository's own decisions are valid, warnings included", async () => {
  const { code, stdout } = await runCli(["validate", "--strict", "--root", root], { cwd: root })
  expect(stdout).toContain("0 errors")
  expect(code).toBe(0)
})
