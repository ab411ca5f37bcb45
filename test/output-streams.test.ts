import { spawn } from "node:child_process"
import { closeSync, existsSync, openSync } from "node:fs"
import { resolve } from "node:path"
import { expect, test } from "vitest"
import { cliIn, makeRepository } from "./run-cli.ts"
import { teamFiles } from "./team-store.ts"

const cli = resolve(import.meta.dirname, "../dist/cli.cjs")
const hasFullDevice = existsSync("/dev/full")

/** Runs the CLI with one of its streams going to a device that takes nothing; the other is returned. */
async function runOnFull(stream: "stdout" | "stderr", args: string[]): Promise<{ code: number | null; other: string }> {
  const cwd = makeRepository(teamFiles)
  const { home, run } = cliIn(cwd)
  await run("search", "lanterns")
  const full = openSync("/dev/full", "w")
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: home },
    stdio: ["ignore", stream === "stdout" ? full : "pipe", stream === "stderr" ? full : "pipe"],
  })
  closeSync(full)
  let other = ""
  child[stream === "stdout" ? "stderr" : "stdout"]?.setEncoding("utf8").on("data", (text: string) => {
    other += text
  })
  const code = await new Promise<number | null>((done) => child.on("close", done))
  return { code, other }
}

test.runIf(hasFullDevice)(
  "an answer that cannot be written is reported in a sentence, without a stack trace",
  async () => {
    for (const args of [["search", "lanterns"], ["memory"]]) {
      const { code, other } = await runOnFull("stdout", args)
      expect(code).toBe(2)
      expect(other).toMatch(/^drey: the answer cannot be written: ENOSPC.*$/m)
      expect(other).not.toMatch(/^\s+at /m)
    }
  },
)

test.runIf(hasFullDevice)("a warning that cannot be written does not lose the answer", async () => {
  const { code, other } = await runOnFull("stderr", ["search", "lanterns"])
  expect([code, other]).toEqual([0, expect.stringContaining("Use lanterns in every hall")])
})
