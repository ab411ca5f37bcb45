import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree } from "../../test/run-cli.ts"
import { forgetChanges, undoLastChange, withStore } from "./change.ts"
import { applyScrub, planScrub } from "./scrub.ts"
import { readStore } from "./team-entries.ts"
import { findStore } from "./team-folder.ts"

const now = new Date("2026-02-18T12:00:00Z")
const token = ["ghp", "_", "Zq7Xw2Lk9Vb4Nm1Rt6Yp3Sd8Fg5Hj0Kc2Va"].join("") // put together here, so that no scanner stumbles over it

test("personal data is removed from every file of the team folder, of any kind", async () => {
  const root = makeRepository({
    ".squad/decisions.md": "# Decisions\n\nAsk kim@corp.io.\n",
    ".squad/agents/kane/charter.md": "Owner: Kim (kim@corp.io)\r\n",
    ".squad/agents/kane/history.md": "Call +49 30 1234567.\n",
    ".squad/skills/mail/SKILL.md": "# mail\n\nWrite to kim@corp.io\n",
    ".squad/log/2026-02-01T10-00-00Z-start.md": "kim@corp.io joined\n",
    ".squad/team.md": "Nobody.\n",
  })
  await applyScrub(planScrub(findStore(root, `${root}/home`)), now)
  const read = (path: string) => readFileSync(join(root, ".squad", path), "utf8")
  expect(read("decisions.md")).toBe("# Decisions\n\nAsk [email].\n")
  expect(read("agents/kane/charter.md")).toBe("Owner: Kim ([email])\r\n")
  expect(read("agents/kane/history.md")).toBe("Call [phone].\n")
  expect(read("skills/mail/SKILL.md")).toBe("# mail\n\nWrite to [email]\n")
  expect(read("log/2026-02-01T10-00-00Z-start.md")).toBe("[email] joined\n")
  expect(read("team.md")).toBe("Nobody.\n")
  expect(planScrub(findStore(root, `${root}/home`)).findings).toEqual([])
})

test("secrets are removed, and the plan names location and rule without the value", async () => {
  const root = makeRepository({ ".squad/decisions.md": `# Decisions\n\nWe use ${token} for CI.\n` })
  const plan = planScrub(findStore(root, `${root}/home`))
  expect(plan.findings).toEqual([
    {
      path: ".squad/decisions.md",
      line: 3,
      kind: "secret",
      rule: "github-token",
      reason: "access token",
      outcome: "replaced",
    },
  ])
  await applyScrub(plan, now)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(
    "# Decisions\n\nWe use [secret: access token] for CI.\n",
  )
})

test("undo restores the old text until it is forgotten, and then nothing contains it", async () => {
  const text = `We use ${token}.\n`
  const root = makeRepository({ ".squad/decisions.md": text })
  const store = findStore(root, `${root}/home`)
  const [folder] = store.folders
  if (!folder) throw new Error("no folder")
  await applyScrub(planScrub(store), now)
  await withStore(folder, () => undoLastChange(folder))
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(text)

  await applyScrub(planScrub(store), now)
  expect(await forgetChanges(store.folders)).toBe(2)
  expect(Object.keys(readTree(root)).filter((path) => path.includes("/changes"))).toEqual([])
  expect(JSON.stringify(readTree(root))).not.toContain(token)
})

test("user input in a session's file is found and left for the user", async () => {
  const path = ".squad/sessions/20260304-080000-0a1b2c3d-queue/agent-memory.yaml"
  const root = makeRepository({ [path]: `note: ${token}\n` })
  const plan = planScrub(findStore(root, `${root}/home`))
  expect(plan.findings).toMatchObject([{ path, line: 1, kind: "secret", outcome: "left" }])
  expect(plan.changes).toEqual([])
})

test("a JSON file stays JSON", async () => {
  const root = makeRepository({
    ".squad/memory/index.json": `${JSON.stringify([{ id: "1", title: `Key ${token}` }], null, 2)}\n`,
    ".squad/memory/audit.jsonl": `${JSON.stringify({ action: "write", title: "Mail kim@corp.io" })}\n`,
  })
  const plan = planScrub(findStore(root, `${root}/home`))
  expect(plan.touchesAudit).toBe(true)
  await applyScrub(plan, now)
  expect(JSON.parse(readFileSync(join(root, ".squad/memory/index.json"), "utf8"))).toEqual([
    { id: "1", title: "Key [secret: access token]" },
  ])
  expect(JSON.parse(readFileSync(join(root, ".squad/memory/audit.jsonl"), "utf8"))).toMatchObject({
    title: "Mail [email]",
  })
})

test("an entry keeps its id when its title is scrubbed", async () => {
  const entry = (title: string, time: string) =>
    `### ${time}: note: ${title}\r\n\r\n**type:** note  \r\n**timestamp:** ${time}  \r\n**author:** Kane  \r\n**topic:** mail  \r\n\r\n**summary:** A sentence.\r\n\r\n---\r\n`
  const root = makeRepository({
    ".squad/decisions.md": `${entry("Ask kim@corp.io", "2026-02-16T10:00:00+0000")}\r\n${entry("Plain", "2026-02-16T11:00:00+0000")}\r\n${entry("Or lee@corp.io", "2026-02-16T12:00:00+0000")}`,
  })
  const idsOf = () => readStore(findStore(root, `${root}/home`), now).entries.map(({ id }) => id)
  const before = idsOf()
  await applyScrub(planScrub(findStore(root, `${root}/home`)), now)
  expect(idsOf()).toEqual(before)
  const text = readFileSync(join(root, ".squad/decisions.md"), "utf8")
  expect(text).toContain(`**author:** Kane  \r\n**id:** ${before[0]}  \r\n**topic:** mail  \r\n`)
  expect(text).not.toContain(`**id:** ${before[1]}`)
})

test("backups and Drey's own files are unchanged; findings in backups are reported", async () => {
  const root = makeRepository({
    ".squad/decisions.md": "# Decisions\n",
    ".squad/backups/convert-20260201T000000Z/decisions.md": "Ask kim@corp.io.\n",
    ".squad/.drey/installed.json": '{"by":"kim@corp.io"}',
  })
  const plan = planScrub(findStore(root, `${root}/home`))
  expect(plan.findings).toEqual([])
  expect(plan.inBackups).toEqual([{ path: ".squad/backups/convert-20260201T000000Z/decisions.md", findings: 1 }])
  expect(plan.changes).toEqual([])
})

test("text that only the user can rewrite is reported and left", () => {
  const root = makeRepository({ ".squad/decisions.md": "The database server is at 192.168.10.20 for now.\n" })
  const plan = planScrub(findStore(root, `${root}/home`))
  expect(plan.findings).toMatchObject([{ kind: "other", outcome: "left" }])
  expect(plan.changes).toEqual([])
})

test("a file that is not text is skipped and reported", () => {
  const root = makeRepository({
    ".squad/decisions.md": "Ask kim@corp.io.\n",
    ".squad/logo.png": new Uint8Array([0x89, 0x50, 0x00, 0x01]),
  })
  const plan = planScrub(findStore(root, `${root}/home`))
  expect(plan.unreadable.map(({ path }) => path)).toEqual([".squad/logo.png"])
  expect(plan.findings).toHaveLength(1)
})

test("a store without anything to scrub is not touched", async () => {
  const root = makeRepository({ ".squad/decisions.md": "# Decisions\n" })
  const before = readTree(root)
  expect(await applyScrub(planScrub(findStore(root, `${root}/home`)), now)).toEqual([])
  expect(readTree(root)).toEqual(before)
})
