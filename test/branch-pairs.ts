import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { readEntries } from "../src/formats/entries.ts"
import { normalizeEntry, writeEntry } from "../src/formats/entry-writer.ts"
import { installMergeDriver } from "../src/team/git/git-setup.ts"
import { seeded } from "./seeded.ts"

/** One entry of a generated file; the text of every version is unlike that of any other. */
type Version = { name: string; text: string }
export type BranchPair = { base: Version[]; ours: Version[]; theirs: Version[] }

/** By git alone, with the lines that Squad commits, with Drey, and in a clone of the same repository that has no Drey. */
export type MergeWay = "git" | "merge=union" | "drey" | "without drey"
export type MergeCount = {
  pairs: number
  /** Entries that must be there after the merges, all pairs together. */
  expected: number
  conflicts: number
  /** Expected entries of which no entry of the result holds the text. */
  lost: number
  /** Expected entries that are there, but not whole or not alone. */
  torn: number
  /** Entries or versions that one side had deleted or replaced, the other had not touched, and that came back. */
  cameBack: number
  /** Entries, sections, lines of a history and lines of the audit that are there twice. */
  doubled: number
}

/** Merges pairs of branches that both changed decisions.md in a real repository, and counts what becomes of the entries. */
export function mergePairs(folder: string, way: MergeWay, pairs: BranchPair[], driver: string): MergeCount {
  const git = startRepository(folder)
  if (way === "merge=union") writeFileSync(join(folder, ".gitattributes"), squadAttributes)
  if (way === "drey" || way === "without drey") installMergeDriver(folder)
  if (way === "drey") git("config", "merge.drey.driver", driver)
  if (way === "without drey") {
    rmSync(join(folder, ".git", "info", "attributes"))
    git("config", "--remove-section", "merge.drey")
  }
  const hasAudit = way === "drey" || way === "without drey" // the audit begins with Drey
  const count = { pairs: pairs.length, expected: 0, conflicts: 0, lost: 0, torn: 0, cameBack: 0, doubled: 0 }
  for (const pair of pairs) {
    const base = commit(git, folder, pair.base, { hasAudit })
    const theirs = commit(git, folder, pair.theirs, { hasAudit, parent: base })
    const ours = commit(git, folder, pair.ours, { hasAudit, parent: base })
    git("checkout", "-q", "-f", "--detach", ours)
    try {
      git("merge", "-q", "-m", "merge", theirs)
    } catch {
      count.conflicts++
    }
    const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "")
    countEntries(pair, read(path), count)
    const lines = [...(read(path).match(/^## .*$/gm) ?? []), ...read(history).split("\n"), ...read(audit).split("\n")]
    count.doubled += countDoubled(lines.filter((line) => line !== ""))
    git("reset", "-q", "--hard")
  }
  return count
}

/** The same pairs for the same seed. Each side adds, edits, deletes and moves entries of the same file. */
export function makePairs(number: number, seed: number): BranchPair[] {
  const random = seeded(seed)
  return Array.from({ length: number }, (_, pair) => {
    const base = Array.from({ length: 4 + pick(random, 12) }, (_, index) => newVersion(`p${pair}b${index}`, random))
    return { base, ours: changeSide(base, "o", random), theirs: changeSide(base, "t", random) }
  })
}

const path = ".squad/decisions.md"
const history = ".squad/agents/kane/history.md"
const audit = ".squad/memory/audit.jsonl"
const squadAttributes = `${path} merge=union\n.squad/agents/*/history.md merge=union\n`

function changeSide(base: Version[], side: string, random: () => number): Version[] {
  const versions = [...base]
  const changes = 1 + pick(random, 6)
  for (let change = 0; change < changes; change++) {
    const at = pick(random, versions.length)
    const version = versions[at]
    const kind = pick(random, 5)
    if (kind <= 1 || !version) {
      // Most people add at the end, some on top, few in between.
      const place = [versions.length, versions.length, 0, pick(random, versions.length + 1)][pick(random, 4)] as number
      versions.splice(place, 0, newVersion(`${base[0]?.name}${side}${change}`, random))
    } else if (kind === 2) versions[at] = edited(version, `${side}${change}`)
    else if (kind === 3) versions.splice(at, 1)
    else versions.splice(pick(random, versions.length), 0, ...versions.splice(at, 1))
  }
  return versions
}

function newVersion(name: string, random: () => number): Version {
  const day = `2026-0${1 + pick(random, 9)}-${10 + pick(random, 18)}`
  const fence =
    pick(random, 3) === 0 ? `\n\n\`\`\`md\n### 2026-01-01: ${name} in a fence\n---\n\`\`\`\n\nAfter it.` : ""
  if (pick(random, 2) === 0) {
    const text = `### ${day}: Legacy ${name}\n**By:** Kane\n**What:** Use ${name} in every module.${fence}\n\n**Why:** Tried ${name}.`
    return { name, text }
  }
  const entry = normalizeEntry({
    type: "decision",
    timestamp: `${day}T10:${10 + pick(random, 50)}:${10 + pick(random, 50)}+00:00`,
    author: "Ripley",
    title: `Title ${name}`,
    details: `Use ${name}.${fence}`,
    rationale: `Because of ${name}.`,
  })
  return {
    name,
    text: writeEntry(entry)
      .trimEnd()
      .replace(/\n---$/, "")
      .trimEnd(),
  }
}

function edited({ name, text }: Version, mark: string): Version {
  const [before = "", ...after] = text.split("Use ")
  return { name, text: `${before}Use (changed in ${mark}) ${after.join("Use ")}` }
}

function countEntries(pair: BranchPair, merged: string, count: MergeCount): void {
  const texts = readEntries(merged, { kind: "decisions" })
    .segments.filter(({ entry }) => entry)
    .map(({ text }) =>
      text
        .trimEnd()
        .replace(/\n---$/, "")
        .trimEnd(),
    )
  const whole = new Set(texts)
  count.doubled += countDoubled(texts)
  const { wanted, gone } = expectedVersions(pair)
  count.expected += wanted.length
  for (const version of wanted) {
    if (whole.has(version)) continue
    const lines = version.split("\n").filter((line) => line !== "" && line !== "---")
    if (texts.some((text) => lines.every((line) => text.includes(line)))) count.torn++
    else count.lost++
  }
  count.cameBack += gone.filter((version) => whole.has(version)).length
}

function countDoubled(items: readonly string[]): number {
  return items.length - new Set(items).size
}

/** What a merge must keep, and what it must not bring back. */
function expectedVersions({ base, ours, theirs }: BranchPair): { wanted: string[]; gone: string[] } {
  const wanted = new Set<string>()
  const gone = new Set<string>()
  const [inBase, inOurs, inTheirs] = [base, ours, theirs].map(
    (side) => new Map(side.map((each) => [each.name, each.text])),
  )
  for (const name of new Set([...ours, ...theirs, ...base].map((version) => version.name))) {
    const [old, mine, other] = [inBase?.get(name), inOurs?.get(name), inTheirs?.get(name)]
    for (const text of [mine, other]) if (text !== undefined && text !== old) wanted.add(text)
    if (old === undefined) continue
    if (mine === old && other === old) wanted.add(old)
    else gone.add(old)
  }
  return { wanted: [...wanted], gone: [...gone] }
}

type Git = (...args: string[]) => string

function startRepository(folder: string): Git {
  mkdirSync(join(folder, ".squad"), { recursive: true })
  const env = { PATH: process.env.PATH ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" }
  const git: Git = (...args) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", env, stdio: ["ignore", "pipe", "ignore"] }).trim()
  git("init", "-q")
  git("config", "user.name", "Ines Falk")
  git("config", "user.email", "ines@example.com")
  git("config", "gc.auto", "0") // a collection in the background would still write while the folder is removed
  return git
}

/** A state of the team folder: decisions between sections, a history with a line for each of them, and an audit. */
function commit(
  git: Git,
  folder: string,
  versions: Version[],
  { hasAudit, parent }: { hasAudit: boolean; parent?: string },
): string {
  const entries = versions.map((version) => version.text).join("\n\n---\n\n")
  const text = `# Decisions\n\n## Active Decisions\n\n${entries}\n\n---\n\n## Governance\n\n- Propose first.\n`
  const names = [...new Set(versions.map(({ name }) => name))]
  const write = (name: string, lines: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), lines)
  }
  write(path, text)
  write(history, ["# Kane\n\n## Learnings\n", ...names.map((name) => `- Learned ${name}.`), ""].join("\n"))
  if (hasAudit) write(audit, names.map((id) => `${JSON.stringify({ action: "write", id })}\n`).join(""))
  git("add", "-A")
  const tree = git("write-tree")
  return git("commit-tree", tree, "-m", "state", ...(parent === undefined ? [] : ["-p", parent]))
}

function pick(random: () => number, below: number): number {
  return Math.floor(random() * below)
}
