import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const token = ["ghp", "_", "Zq7Xw2Lk9Vb4Nm1Rt6Yp3Sd8Fg5Hj0Kc2Va"].join("") // put together here, so that no scanner stumbles over it
const decisions = `# Decisions\n\nAsk kim@corp.io for ${token}.\n`

test("scrub previews, then replaces, and undo reverts it", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": decisions })
  const { run } = warmCliIn(cwd)
  const before = readTree(cwd)
  const shown = await run("scrub", "--dry-run")
  expect(shown).toMatchObject({ code: 0, stderr: "" })
  expect(shown.stdout).toBe(
    [
      ".squad/decisions.md:3  access token (github-token)",
      ".squad/decisions.md:3  personal data (email)",
      "",
      "2 would be replaced. Run without --dry-run to do it.",
      "",
    ].join("\n"),
  )
  expect(readTree(cwd)).toEqual(before)

  const done = await run("scrub")
  expect(done.stdout).toContain("2 replaced.")
  expect(done.stderr).toContain("Git history still contains the replaced values")
  expect(done.stderr).toContain('Remove them with "drey scrub --forget"')
  expect(readText(cwd)).toBe("# Decisions\n\nAsk [email] for [secret: access token].\n")

  expect(await run("undo")).toMatchObject({ code: 0 })
  expect(readText(cwd)).toBe(decisions)
})

test("after scrub --forget no file of the team folder contains the secret, and no output did", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": decisions })
  const { run } = warmCliIn(cwd)
  const outputs = [
    await run("scrub", "--dry-run", "--json"),
    await run("scrub"),
    await run("scrub", "--forget", "--json"),
  ]
  expect(JSON.parse(outputs[2]?.stdout ?? "")).toMatchObject({ findings: [], forgotten: 1 })
  expect(JSON.stringify(readTree(cwd))).not.toMatch(new RegExp(`${token}|kim@corp`))
  expect(JSON.stringify(outputs)).not.toMatch(new RegExp(`${token}|kim@corp`))
})

test("nothing to scrub is said in a sentence", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": "# Decisions\n" })
  expect(await runWarm(["scrub"], { cwd })).toEqual({
    code: 0,
    stdout: "No secrets or personal data found.\n",
    stderr: "",
  })
})

function readText(cwd: string): string {
  return readFileSync(join(cwd, ".squad/decisions.md"), "utf8")
}
