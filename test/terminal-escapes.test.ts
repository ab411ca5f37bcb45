import { expect, test } from "vitest"
import { makeRepository, runCli, runGit } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

/** Sets a title, clears the screen, the same in one byte, back to the line's beginning, over the last sign, and from right to left. */
const steering = "\u001b]0;taken\u0007\u001b[2J\u009b31m\r\b\u007f\u0085\u202e\u2066\u200f"
const steers = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const evil = `odd${steering}name`
const fileName = evil.replaceAll("/", "")

const entry = (type: string, at: number) => `### 2026-02-15T14:32:${10 + at}+0000: ${type}: Use the ${evil} cache ${at}

**type:** ${type}
**timestamp:** 2026-02-15T14:32:${10 + at}+0000
**author:** Ana ${evil}
**tags:** ${evil}, cache
**scope:** ${evil}
**supersedes:** ${evil}

**summary:** The cache ${evil} is used.

---
`

const legacy = `## 2026-01-0${evil}: Old style ${evil}\n**By:** ${evil}\n**What:** cache of ${evil}\n`

/** A repository with that in every name and text, and a home. */
function makePlace() {
  const cwd = makeRepository({
    ".squad/decisions.md": `${entry("decision", 1)}\n${entry("directive", 2)}\n${entry(`kind${steering}`, 3)}\n${legacy}`,
    [`.squad/decisions/inbox/${fileName}.md`]: entry("decision", 4),
    [`.squad/decisions/inbox/broken${fileName}.md`]: `${entry("decision", 5)}<<<<<<< ours${steering}\n=======\n>>>>>>> ${evil}\n`,
    [`.squad/decisions/inbox/not-utf8${fileName}.md`]: new Uint8Array([0xff, 0xfe, 0x00]),
    [`.squad/agents/${fileName}/history.md`]: `# ${evil}\n\n${entry("learning", 6)}`,
    [`.squad/agents/${fileName}/charter.md`]: `# ${evil}\n`,
    ".squad/team.md": `# Team\n\n| Name | Role |\n|---|---|\n| ${evil} | ${evil} |\n`,
    [`.squad/skills/${fileName}/SKILL.md`]: `---\nname: "${fileName}"\ndescription: cache ${evil}\n---\n\ncache ${evil}\n`,
    ".squad/config.json": JSON.stringify({ [evil]: evil, drey: { [evil]: evil, sessions: {} } }),
    ".squad/memory/memory_policy.toml": `[${JSON.stringify(evil)}]\n${JSON.stringify(evil)} = 1\n`,
    ".squad/memory/config.json": JSON.stringify({ [evil]: evil, defaultProvider: evil }),
    ".squad/memory/index.json": JSON.stringify([{ id: evil, title: evil, path: evil, class: evil }]),
    ".squad/memory/audit.jsonl": `${JSON.stringify({ id: evil, action: evil })}\n${evil}\n`,
    ".squad/sessions/20260123-103000-abc1def2-work/metadata.yaml": `status: active\ntask: ${JSON.stringify(evil)}\n`,
    ".squad/sessions/20260123-103000-abc1def2-work/agent-memory.yaml": `agent: ${JSON.stringify(evil)}\n${evil}\n`,
    "AGENTS.md": `# ${evil}\n`,
  })
  runGit(cwd, "init", "-q", "-b", "main")
  return { cwd, env: { DREY_HOME: makeRepository({}) } }
}

const commands = [
  "memory",
  "memory --all",
  "memory list",
  "memory search cache",
  "memory read EVIL",
  "memory classify EVIL",
  "memory audit",
  "memory audit --verify",
  "memory provider",
  "memory delete EVIL",
  "memory promote EVIL",
  "memory reindex",
  "memory author:EVIL",
  "search cache",
  "search cache --all",
  "search EVIL",
  "context --task cache",
  "context --task cache --explain",
  "context --agent EVIL --task EVIL",
  "why EVIL",
  "why skill:EVIL",
  "session list",
  "session show",
  "session show EVIL",
  "session show 20260123-103000-abc1def2-work",
  "session validate",
  "session export",
  "session context --agent EVIL",
  "session start EVIL",
  "session cleanup",
  "recent",
  "status",
  "status --all",
  "ingest",
  "ingest EVIL",
  "flush",
  "replay EVIL",
  "evaluate",
  "evaluate --dry-run",
  "forget EVIL",
  "pin EVIL",
  "policy",
  "policy reload",
  "policy EVIL",
  "pause",
  "resume",
  "reindex",
  "reindex --names",
  "team status",
  "team share EVIL",
  "validate",
  "validate --format github",
  "validate --format sarif",
  "validate EVIL",
  "convert-memory --dry-run",
  "schema",
  "schema EVIL",
  "export",
  "export --out EVIL",
  "import EVIL",
  "merge --dry-run",
  "merge",
  "directive EVIL --author EVIL",
  "archive --dry-run",
  "summarize --dry-run",
  "tidy --dry-run",
  "tidy",
  "undo --dry-run",
  "init --dry-run",
  "upgrade --dry-run",
  "connect --dry-run",
  "connect EVIL",
  "disconnect --dry-run",
  "doctor",
  "report",
  "report --from EVIL",
  "stats",
  "scrub",
  "scrub --dry-run",
  "completion bash -- memory --agent=",
  "completion fish -- why ",
  "completion EVIL",
  "help EVIL",
  "EVIL",
  "memory --root EVIL",
  "search --EVIL",
  "hook EVIL EVIL2 EVIL3 --root EVIL",
]

test.each(commands)("nothing that could steer a terminal is printed by drey %s", async (line) => {
  const place = makePlace()
  const args = line.split(" ").map((word) => word.replaceAll("EVIL", evil))
  for (const more of line.includes("hook") ? [] : [[], ["--json"]]) {
    const { stdout, stderr } = await runWarm([...args, ...more], place)
    expect(steers.exec(stdout)?.[0], stdout).toBeUndefined()
    expect(steers.exec(stderr)?.[0], stderr).toBeUndefined()
  }
})

test("JSON contains every character of a title, terminal control characters as escapes", async () => {
  const folder = makeRepository({ ".squad/decisions.md": entry("decision", 1).replaceAll(/[\r\b\u0085]/g, "") })
  const { stdout } = await runWarm(["memory", "--json"], { cwd: folder })
  expect(stdout).toContain("\\u009b31m")
  expect(JSON.parse(stdout)[0].title).toContain("\u009b31m\u007f\u202e\u2066")
})

test("a view for other programs keeps every byte where it is not shown to a person", async () => {
  const folder = makeRepository({ ".squad/decisions.md": entry("decision", 1).replaceAll(/[\r\b\u0085]/g, "") })
  const { stdout } = await runWarm(["view", "squadui"], { cwd: folder })
  expect(stdout).toContain("\u009b31m")
})

test("colours are Drey's own alone: what looks like one in a title stays without effect", async () => {
  const { cwd, env } = makePlace()
  for (const args of [["memory"], ["search", "cache"], ["validate"], ["stats"]]) {
    const { stdout, stderr } = await runCli(args, { cwd, env: { ...env, FORCE_COLOR: "1" } })
    const text = `${stdout}${stderr}`
    const rest = text.replaceAll(/\u001b\[(?:1|2|3|9|22|23|29|3[1-69])m/g, "")
    expect(rest, args.join(" ")).not.toBe(text)
    expect(steers.exec(rest)?.[0], rest).toBeUndefined()
    expect(rest).not.toMatch(/[0-9a-f]{16}:\d+m/)
  }
})
