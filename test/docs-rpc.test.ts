import { spawnSync } from "node:child_process"
import { expect, onTestFinished, test } from "vitest"
import { takeBlocks } from "./doc-blocks.ts"
import { dreyOnPath } from "./drey-on-path.ts"
import { environmentOf, makeRepository, runCli } from "./run-cli.ts"

const needed = { jq: ["--version"], nc: ["-h"] }
const missing = Object.entries(needed).flatMap(([name, args]) => (spawnSync(name, args).error ? [name] : []))
const [question = ""] = takeBlocks("docs/rpc.md", "sh", 1)
const [answer = ""] = takeBlocks("docs/rpc.md", "json", 1)

test.skipIf(missing.length > 0)(
  "the page asks a watch that runs, and is answered as it shows (needs jq and nc)",
  () => {
    const env = environmentOf({ PATH: dreyOnPath() })
    const cwd = makeRepository({ ".squad/team.md": "# Team\n" })
    onTestFinished(async () => void (await runCli(["watch", "--stop"], { cwd, env })))
    const { status, stdout, stderr } = spawnSync("sh", ["-e", "-c", question], { cwd, env, encoding: "utf8" })
    expect([status, stderr]).toEqual([0, ""])
    const told = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")
    expect(shapeOf(told)).toEqual(shapeOf(JSON.parse(answer)))
    expect(told.result).toMatchObject({ socket: expect.stringMatching(/watch\.sock$/), projects: [{ root: cwd }] })
  },
)

/** The keys of a document, and of what type each value is. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== "object" || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
}
