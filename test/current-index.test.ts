import { readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { expect, test } from "vitest"
import { makeRepository, runCli } from "./run-cli.ts"

const decision = `### 2026-02-15T14:32:15+0000: decision: Log in with short tokens

**type:** decision  
**timestamp:** 2026-02-15T14:32:15+0000  
**author:** Kane  

**summary:** Log in with short tokens, and refresh them.

---
`

test("an index that is current answers like one that is built for the question", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": decision, ".squad/team.md": "# Team\n" })
  const home = makeRepository({})
  /** Less the task's id, which is another each time, and what its tokens add to the count. */
  const plain = (text: string) => text.replace(/t-[0-9a-f]{12}/g, "t-").replace(/\d+ of |"tokens": \d+/g, "")
  const run = async (args: string[], place = home) => {
    const { code, stdout, stderr } = await runCli(args, { cwd, env: { DREY_HOME: place } })
    return { code, stdout: plain(stdout), stderr: plain(stderr) }
  }
  await pause(2100) // a file that changed less than two seconds ago is looked at again
  await run(["reindex"])
  const lines = [
    ["context", "--agent", "kane", "--task", "log in with tokens"],
    ["context", "log", "in", "--budget", "500", "--json"],
    ["context", "--path", "src/a.ts", "src/b.ts", "--explain"],
    ["search", "short", "tokens", "--limit", "3"],
    ["search", "nothing-of-the-kind", "--json"],
  ]
  for (const line of lines) {
    expect(await run(line), line.join(" ")).toEqual(await run(line, makeRepository({})))
  }
  expect(await run(["search"])).toMatchObject({ code: 2, stderr: expect.stringContaining("missing required argument") })
  expect(await run(["context", "--budget", "none", "x"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"none"'),
  })
  expect(readdirSync(join(home, "contexts"))).toHaveLength(1)
}, 60_000)
