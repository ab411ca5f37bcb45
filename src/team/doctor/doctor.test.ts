import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { makeRepository, readTree, runGit, writeFiles } from "../../../test/run-cli.ts"
import type { Check } from "../../formats/check.ts"
import { appendAudit } from "../../governance/audit.ts"
import { stateFolder } from "../journal.ts"
import { applySetUp, planSetUp } from "../setup.ts"
import { findStore, folderOf } from "../team-folder.ts"
import { runDoctor } from "./doctor.ts"

const now = new Date("2026-02-18T12:00:00Z")
// Put together at run time, so that no scanner takes this file for a leak.
const token = ["ghp", "_", "Zq7Xw2Lk9Vb4Nm1Rt6Yp3Sd8Fg5Hj0Kc2Va"].join("")

const environment = { DREY_HOME: join(tmpdir(), "drey-test-nobody") } // no settings of the user who runs the tests

const healthyFiles = {
  ".squad/decisions.md": sem("2026-02-16T10:00:00+0000", "decision", "One index", "**rationale:** Two drifted apart."),
  ".squad/agents/kane/history.md": sem("2026-02-16T11:00:00+0000", "memory", "A lesson"),
  ".squad/config.json": '{ "memory": { "logLevel": "info" } }',
  ".squad/decisions/inbox/kane-new.md": sem("2026-02-17T10:00:00+0000", "decision", "New", "**rationale:** It is."),
}

test("a healthy store passes every check, and checking changes nothing", async () => {
  const root = makeHealthy()
  const before = readTree(root)
  const checks = await runDoctor(findStore(root, `${root}/home`), { environment, now })
  expect(checks.filter(({ status }) => status !== "pass")).toEqual([])
  expect(readTree(root)).toEqual(before)
})

type Sick = {
  store: string
  name: string
  status: Check["status"]
  severity?: "info"
  says: RegExp
  files?: Record<string, string | Uint8Array>
  make?: (root: string) => void
}

const governed =
  '---\nid: 6f9619ff-8b86-4d01-b42d-00cf4fc964ff\nclass: LOCAL\ntitle: "A"\nauthor: "Kane"\n---\n\nText.\n'

/** For every check, a store on which it does not pass; several where it can fail in more than one way. */
const sick: Sick[] = [
  {
    store: "two team folders",
    name: "team folder",
    status: "warn",
    says: /Both/,
    files: { ".ai-team/team.md": "# Team\n" },
  },
  {
    store: "a missing decisions.md",
    name: "decisions file",
    status: "fail",
    says: /decisions\.md is missing. Run "drey init"/,
    make: (root) => rmSync(join(root, ".squad/decisions.md")),
  },
  {
    store: "a history in UTF-16",
    name: "readable files",
    status: "fail",
    says: /1 file cannot be read.*: \.squad\/agents\/kane\/history\.md is UTF-16/,
    files: { ".squad/agents/kane/history.md": new Uint8Array([0xff, 0xfe, 0x41, 0x00]) },
  },
  {
    store: "conflict markers",
    name: "merge conflicts",
    status: "fail",
    says: /1 merge conflict .*decisions\.md:1/,
    files: { ".squad/decisions.md": "<<<<<<< HEAD\nOurs\n=======\nTheirs\n>>>>>>> branch\n" },
  },
  {
    store: "a skill without text",
    name: "skills",
    status: "warn",
    says: /1 skill to fix: \.squad\/skills\/empty\/SKILL\.md/,
    files: { ".squad/skills/empty/SKILL.md": "---\nname: empty\ndescription: Nothing\n---\n" },
  },
  {
    store: "two skills of one name",
    name: "skills",
    status: "warn",
    severity: "info",
    says: /\.copilot\/skills\/drey-conventions\/SKILL\.md \(by \.squad/,
    files: {
      ".copilot/skills/drey-conventions/SKILL.md": "---\nname: squad-conventions\ndescription: X\n---\n\nText.\n",
    },
  },
  {
    store: "a scope that is none",
    name: "fields",
    status: "fail",
    says: /1 invalid field: \.squad\/decisions\.md:\d+\. Run "drey validate"/,
    files: { ".squad/decisions.md": sem("2026-02-16T10:00:00+0000", "decision", "A", "", "**scope:** everyone!  \n") },
  },
  {
    store: "a reference to nothing",
    name: "references",
    status: "warn",
    says: /1 reference to a missing or ambiguous entry/,
    files: {
      ".squad/decisions.md": sem("2026-02-16T10:00:00+0000", "note", "A", "", "**supersedes:** sem-000000000000  \n"),
    },
  },
  {
    store: "two entries that supersede each other",
    name: "references",
    status: "fail",
    says: /in a cycle/,
    files: {
      ".squad/decisions.md": [
        sem("2026-02-16T12:00:00+0000", "note", "A", "", "**supersedes:** 2026-02-16T13:00:00+0000  \n"),
        sem("2026-02-16T13:00:00+0000", "note", "B", "", "**supersedes:** 2026-02-16T12:00:00+0000  \n"),
      ].join("\n"),
    },
  },
  {
    store: "a heading that contradicts its fields",
    name: "headings",
    status: "warn",
    says: /1 entry whose heading and fields disagree/,
    files: {
      ".squad/decisions.md": sem("2026-02-16T10:00:00+0000", "note", "A").replace("**type:** note", "**type:** memory"),
    },
  },
  {
    store: "a title that is too long",
    name: "summaries",
    status: "warn",
    says: /1 title or summary over 120/,
    files: { ".squad/decisions.md": sem("2026-02-16T10:00:00+0000", "note", "A".repeat(121)) },
  },
  {
    store: "a decision without a reason",
    name: "rationale",
    status: "warn",
    severity: "info",
    says: /1 decision of 2 without a rationale/,
    files: { ".squad/decisions.md": sem("2026-02-16T10:00:00+0000", "decision", "A") },
  },
  {
    store: "a note past its date",
    name: "expired entries",
    status: "warn",
    says: /1 entry is past the review date: "A" \(\.squad\/decisions\.md:1\)/,
    files: {
      ".squad/decisions.md": sem(
        "2026-01-16T10:00:00+0000",
        "note",
        "A",
        "",
        "**expires:** 2026-02-01T00:00:00+0000  \n",
      ),
    },
  },
  {
    store: "a legacy entry",
    name: "legacy entries",
    status: "warn",
    severity: "info",
    says: /1 entry is in a legacy format/,
    files: {
      ".squad/decisions.md": "# Decisions\n\n### 2026-02-10: Use tabs\n\n**By:** Kane\n**What:** Tabs.\n**Why:** So.\n",
    },
  },
  {
    store: "settings that are no JSON",
    name: "settings",
    status: "fail",
    says: /config\.json is not valid JSON/,
    files: { ".squad/config.json": "{" },
  },
  {
    store: "a policy that is no JSON",
    name: "memory policy",
    status: "fail",
    says: /is not valid JSON/,
    files: { ".squad/memory/config.json": "{," },
  },
  {
    store: "a policy that allows secrets",
    name: "memory policy",
    status: "warn",
    says: /rejectForbidden/,
    files: { ".squad/memory/config.json": '{"policy":{"rejectForbidden":false}}' },
  },
  {
    store: "an index that is no JSON",
    name: "memory index",
    status: "fail",
    says: /reindex/,
    files: { ".squad/memory/index.json": "[{" },
  },
  {
    store: "a record without its file",
    name: "index against files",
    status: "fail",
    says: /1 index record without an entry: 6f9619ff/,
    files: { ".squad/memory/index.json": index(".squad/memory/local/gone-6f9619ff.md") },
  },
  {
    store: "six files in the inbox",
    name: "inbox",
    status: "warn",
    says: /6 files in the inbox.*run "drey inbox"/,
    files: Object.fromEntries(
      Array.from({ length: 5 }, (_, nth) => [
        `.squad/decisions/inbox/kane-${nth}.md`,
        sem(`2026-02-17T10:00:0${nth}+0000`, "note", `Number ${nth}`),
      ]),
    ),
  },
  {
    store: "an old file in the inbox",
    name: "inbox",
    status: "warn",
    says: /2 files in the inbox, the oldest 17 days old/,
    files: { ".squad/decisions/inbox/kane-old.md": sem("2026-02-01T10:00:00+0000", "note", "Old") },
  },
  {
    store: "decisions over the limit",
    name: "decisions size",
    status: "warn",
    says: /more than 20,480 is large for agents that read the whole file without Drey\. .*still found/,
    files: { ".squad/decisions.md": `# Decisions\n\n${"Text. ".repeat(4000)}\n` },
  },
  {
    store: "a history over its gate",
    name: "history size",
    status: "warn",
    says: /1 history over 12,288 bytes: \.squad\/agents\/kane\/history\.md/,
    files: { ".squad/agents/kane/history.md": `# Kane\n\n${"Text. ".repeat(2500)}\n` },
  },
  {
    store: "an inner address",
    name: "forbidden content",
    status: "warn",
    says: /decisions\.md:1 \(private-address\)/,
    files: { ".squad/decisions.md": "The database server is at 192.168.10.20 for now.\n" },
  },
  {
    store: "git attributes of Squad",
    name: "merge driver",
    status: "warn",
    says: /line by line.*\.squad\/decisions\.md/,
    files: { ".git/info/attributes": "" },
  },
  {
    store: "a clone without the driver",
    name: "merge driver",
    status: "warn",
    says: /merge driver is not registered in this clone/,
    make: (root) => runGit(root, "config", "--remove-section", "merge.drey"),
  },
  {
    store: "ignored archives",
    name: "archive targets",
    status: "fail",
    says: /git ignores \.squad\/decisions-archive\.md, \.squad\/agents\/kane\/history-archive\.md/,
    files: { ".gitignore": "*-archive.md\n" },
  },
  {
    store: "an ignored team folder",
    name: "archive targets",
    status: "warn",
    says: /stays on this machine/,
    files: { ".gitignore": ".squad/\n" },
  },
]

test.each(sick)(
  "$store: the check of the $name reports $status",
  async ({ name, status, severity, says, files = {}, make }) => {
    expect(await examine(name, files, make)).toEqual({
      name,
      status,
      message: expect.stringMatching(says),
      ...(severity ? { severity } : {}),
    })
  },
)

test("files that did not change are not examined again, and any change is noticed", async () => {
  const root = makeHealthy()
  const decisions = join(root, ".squad", "decisions.md")
  const before = await checkKeeping(root)
  const shown = async () => (await checkKeeping(root)).find(({ name }) => name === "rationale")?.message
  const mark = () => {
    const kept = readFileSync(keptIn(root), "utf8")
    writeFiles(root, { "home/index/findings.json": kept.replaceAll("Every decision has a rationale.", "Kept.") })
    utimesSync(keptIn(root), new Date(), new Date(Date.now() + 60_000))
  }
  mark()
  expect(await shown()).toBe("Kept.")
  const { atime, mtime } = statSync(decisions)
  writeFiles(root, { ".squad/decisions.md": readFileSync(decisions, "utf8").replace("One index", "Two index") })
  utimesSync(decisions, atime, mtime) // of the same size and date: its inode changed at another time
  expect(await shown()).toBe("Every decision has a rationale.")
  mark()
  utimesSync(keptIn(root), new Date(), new Date(0))
  expect(await shown()).toBe("Every decision has a rationale.") // it is not later than the files
  writeFiles(root, { "home/index/findings.json": "{" })
  expect(await checkKeeping(root)).toEqual(before)
})

test("each agent's context is reported in tokens, and too much of it is a warning", async () => {
  const check = await examine("context cost", { ".squad/decisions.md": `# Decisions\n\n${"Text. ".repeat(6000)}\n` })
  expect(check).toMatchObject({ status: "warn", message: expect.stringMatching(/: kane 8,\d{3}\. More than 8,000/) })
})

test("the limit of histories is the configured one", async () => {
  const files = { ".squad/config.json": '{ "drey": { "limits": { "historyBytes": 100 } } }' }
  expect(await examine("history size", files)).toMatchObject({
    status: "warn",
    message: expect.stringContaining("over 100 bytes"),
  })
})

test("a secret anywhere in the team folder fails, by location and rule, without the value", async () => {
  const check = await examine("secrets", { ".squad/agents/kane/charter.md": `# Kane\n\nUse ${token}.\n` })
  expect(check).toMatchObject({
    status: "fail",
    message: expect.stringContaining(".squad/agents/kane/charter.md:3 (github-token)"),
  })
  expect(check?.message).not.toContain(token)
})

test("an example secret in a template is accepted; a real one in a template, or the example in another file, is not", async () => {
  const example = ["DB_PASS", "WORD=super_secret_77"].join("")
  const path = ".squad/templates/skills/vault/SKILL.md"
  expect((await examine("secrets", { [path]: `| Passwords | \`${example}\` |\n` }))?.status).toBe("pass")
  expect((await examine("secrets", { [path]: `Use ${token}.\n` }))?.status).toBe("fail")
  expect((await examine("secrets", { ".squad/agents/kane/charter.md": `${example}\n` }))?.status).toBe("fail")
})

test("a secret in a file that git ignores is not a leak", async () => {
  const check = await examine("secrets", { ".squad/private/notes.md": `${token}\n`, ".gitignore": "private/\n" })
  expect(check).toMatchObject({ status: "pass" })
})

test("personal data in committed files is a warning, without the value", async () => {
  const check = await examine("personal data", { ".squad/team.md": "Owner: Kim (kim@corp.io)\n" })
  expect(check).toMatchObject({ status: "warn", message: expect.stringContaining(".squad/team.md:1 (email)") })
  expect(check?.message).not.toContain("corp.io")
})

test("a governed entry without a record in the index is found", async () => {
  const check = await examine("index against files", {
    ".squad/memory/.gitignore": "",
    ".squad/memory/index.json": "[]",
    ".squad/memory/local/kane-a-6f9619ff.md": governed,
  })
  expect(check).toMatchObject({
    status: "warn",
    message: expect.stringMatching(/1 file without an index record.*kane-a/),
  })
})

test("an index that agrees with its files passes, backslashes and entries inside larger files included", async () => {
  const inside = sem("2026-02-16T10:00:00+0000", "decision", "A", "**rationale:** B.", "**id:** merged-1  \n")
  const check = await examine("index against files", {
    ".squad/memory/local/kane-a-6f9619ff.md": governed,
    ".squad/decisions.md": inside,
    ".squad/memory/index.json": JSON.stringify([
      ...JSON.parse(index(".squad\\memory\\local\\kane-a-6f9619ff.md")),
      { ...JSON.parse(index(".squad/decisions.md"))[0], id: "merged-1", anchor: "merged-1" },
      { ...JSON.parse(index(".squad/gone.md"))[0], id: "deleted-1", status: "deleted" },
    ]),
  })
  expect(check).toMatchObject({ status: "pass" })
})

test("a forged line of the audit fails", async () => {
  const root = makeHealthy()
  const state = stateFolder(folderOf(findStore(root, `${root}/home`)))
  const place = { storeFolder: join(root, ".squad"), state, maxBytes: 1_048_576, maxArchives: 3 }
  for (const title of ["One", "Two"])
    appendAudit(place, { timestamp: now.toISOString(), action: "write", class: "LOCAL", title })
  expect(await checkOf(root, "audit chain")).toMatchObject({
    status: "pass",
    message: expect.stringContaining("2 lines"),
  })
  const path = join(root, ".squad/memory/audit.jsonl")
  writeFiles(root, { ".squad/memory/audit.jsonl": readFileSync(path, "utf8").replace("One", "Six") })
  expect(await checkOf(root, "audit chain")).toMatchObject({
    status: "fail",
    message: expect.stringContaining("audit.jsonl:1"),
  })
})

test("text in a code fence is not an entry, so it has no problems", async () => {
  const example = sem("1999-01-01T00:00:00+0000", "decision", "Only an example", "", "**scope:** everyone!  \n")
  const root = makeHealthy({
    ".squad/decisions.md": sem(
      "2026-02-16T10:00:00+0000",
      "decision",
      "Real",
      `**details:**\n\n\`\`\`markdown\n${example}\`\`\`\n\n**rationale:** Yes.`,
    ),
  })
  for (const name of ["fields", "dates", "rationale", "legacy entries"])
    expect(await checkOf(root, name)).toMatchObject({ status: "pass" })
})

test("a date that an agent made up is a warning", async () => {
  const check = await examine("dates", {
    ".squad/decisions.md": sem("2031-01-01T10:00:00+0000", "note", "A"),
  })
  expect(check).toMatchObject({ status: "warn", message: expect.stringMatching(/1 date before 2020 or in the future/) })
})

test("a journal of an earlier version in the team folder is reported as unused, and stays", async () => {
  const root = makeHealthy()
  writeFiles(root, { ".squad/.drey/changes/00000001-20260218T120000Z/manifest.json": "{" })
  expect(await checkOf(root, "team folder")).toMatchObject({
    severity: "info",
    message: ".squad/.drey/changes was written by an earlier version of Drey and is no longer used. Delete it.",
  })
})

test("every check has a store on which it fails", async () => {
  const elsewhere = ["context cost", "secrets", "personal data", "audit chain", "dates"] // the tests above
  const covered = new Set([...sick.map(({ name }) => name), ...elsewhere])
  const checks = await runDoctor(findStore(makeHealthy(), environment.DREY_HOME), { environment, now })
  expect(checks.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([])
})

test("without a team folder a single check says what to do", async () => {
  const root = makeRepository({})
  expect(await runDoctor({ root, home: root, folders: [] }, { environment, now })).toEqual([
    { name: "team folder", status: "fail", message: `${root} has no .squad folder. Run "drey init" to create one.` },
  ])
})

test("without git every check still runs", async () => {
  const root = makeRepository(healthyFiles)
  const checks = await runDoctor(findStore(root, `${root}/home`), { environment, now })
  expect(checks.find(({ name }) => name === "merge driver")).toMatchObject({ status: "warn" })
  expect(checks.filter(({ status }) => status === "fail")).toEqual([])
})

let pattern: string

/** Made once and copied for each test: setting up git takes longer than examining. */
beforeAll(async () => {
  pattern = realpathSync(mkdtempSync(join(tmpdir(), "drey-test-")))
  runGit(pattern, "init", "-q")
  writeFiles(pattern, healthyFiles)
  await applySetUp(planSetUp(findStore(pattern, `${pattern}/home`), { command: "init" }, now), now)
})

afterAll(() => rmSync(pattern, { recursive: true, force: true }))

function makeHealthy(files: Record<string, string | Uint8Array> = {}): string {
  const root = makeRepository({})
  cpSync(pattern, root, { recursive: true })
  writeFiles(root, files)
  return root
}

async function examine(
  name: string,
  files: Record<string, string | Uint8Array>,
  make?: (root: string) => void,
): Promise<Check | undefined> {
  const root = makeHealthy()
  await checkKeeping(root)
  writeFiles(root, files)
  make?.(root)
  expect(await checkKeeping(root)).toEqual(await check(root))
  return checkOf(root, name)
}

async function checkOf(root: string, name: string): Promise<Check | undefined> {
  return (await check(root)).find((each) => each.name === name)
}

async function check(root: string, kept?: string): Promise<Check[]> {
  return runDoctor(findStore(root, `${root}/home`), { environment, now, kept })
}

/** Checks with what the last check kept, which is dated later than the files so that it is used. */
async function checkKeeping(root: string): Promise<Check[]> {
  const checks = await check(root, keptIn(root))
  utimesSync(keptIn(root), new Date(), new Date(Date.now() + 60_000))
  return checks
}

function keptIn(root: string): string {
  return join(root, "home", "index", "findings.json")
}

function index(path: string): string {
  const times = { createdAt: "2026-02-16T10:00:00.000Z", updatedAt: "2026-02-16T10:00:00.000Z" }
  const id = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
  return JSON.stringify([
    { id, class: "LOCAL", loadGuidance: "ON-DEMAND", title: "A", path, status: "active", ...times },
  ])
}

function sem(timestamp: string, type: string, title: string, body = "", fields = ""): string {
  const rest = body === "" ? "" : `${body}\n\n`
  return `### ${timestamp}: ${type}: ${title}\n\n**type:** ${type}  \n**timestamp:** ${timestamp}  \n**author:** Kane  \n${fields}\n**summary:** A sentence.\n\n${rest}---\n`
}
