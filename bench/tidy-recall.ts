import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { type Drey, openDrey } from "../src/drey.ts"
import { tokenize } from "../src/index/tokenizer.ts"
import type { Context } from "../src/recall/context/context-builder.ts"
import { rankWeights } from "../src/recall/search/ranking.ts"
import type { StoreEntry } from "../src/team/team-entries.ts"
import { readStore } from "../src/team/team-entries.ts"
import { findStore, findTeamFolders } from "../src/team/team-folder.ts"

/**
 * Checks on real team folders that contexts hand over the same entries after `drey tidy` as before it:
 * `npm run tidy -w bench -- [folder of repositories] [--show]`. With `--show` it also prints every case.
 */

const args = process.argv.slice(2)
const corpora = resolve(args.find((arg) => !arg.startsWith("--")) ?? "../shared/corpora")
const isShown = args.includes("--show")
const now = () => new Date("2026-11-15T00:00:00Z")
const tasksPerTeam = 3

type Counts = {
  /** Entries above the relevance threshold before, shown or not, and how many of them are so after. */
  relevant: number
  stillRelevant: number
  /** Of those, the ones that were shown with detail, and with at least a line; and how many of them are shown after. */
  detailed: number
  detailedKept: number
  shown: number
  shownKept: number
}

if (!existsSync(corpora)) console.log(`Skipped: there is no folder ${corpora}. Name a folder of repositories.`)
else await measure()

async function measure(): Promise<void> {
  const teams = readdirSync(corpora)
    .sort()
    .flatMap((name) =>
      findTeamFolders(join(corpora, name)).folders.map((team) => ({ name: `${name}/${team.name}`, team })),
    )
  const total = noCounts()
  for (const { name, team } of teams) {
    const counts = await measureTeam(name, team)
    console.log(counts === undefined ? `${name}: no decisions` : `${name}: ${tell(counts)}`)
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts?.[key] ?? 0
  }
  console.log(
    `\nAfter tidy, of what the contexts of ${teams.length} teams found before (${tasksPerTeam} tasks each; goal: 100 %)`,
  )
  console.log(`- still above the relevance threshold: ${share(total.stillRelevant, total.relevant)}`)
  console.log(`- relevant and shown in detail before, still shown: ${share(total.detailedKept, total.detailed)}`)
  console.log(`- relevant and shown before, in a line at least, still shown: ${share(total.shownKept, total.shown)}`)
}

async function measureTeam(name: string, team: { name: string; path: string }): Promise<Counts | undefined> {
  const root = mkdtempSync(join(tmpdir(), "drey-tidy-recall-"))
  try {
    cpSync(team.path, join(root, team.name), { recursive: true })
    makeWritable(root)
    execFileSync("git", ["init", "--quiet"], { cwd: root })
    const environment = { ...process.env, DREY_HOME: join(root, ".home") }
    const { entries } = readStore(findStore(root, join(root, ".home")), now())
    const tasks = tasksOf(entries)
    if (tasks.length === 0) return undefined
    const agent = busiestAgent(entries)
    const ask = async () => {
      const drey = openDrey({ root, environment, now })
      const contexts: Asked[] = []
      for (const task of tasks) contexts.push(await contextFor(drey, task, agent))
      await drey.close()
      return contexts
    }
    const before = await ask()
    const drey = openDrey({ root, environment, now })
    const { actions } = await drey.team.tidy()
    await drey.close()
    if (isShown) for (const { target, description } of actions) console.log(`  tidied ${target}: ${description}`)
    const after = await ask()
    const counts = noCounts()
    for (const [at, task] of tasks.entries()) {
      const [was, is] = [before[at], after[at]]
      if (was && is) compare(counts, { name, task, agent }, was, is)
    }
    return counts
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Of evenly spaced active decisions, the words of the title but the rarest two: a task that is near it and does not name it. */
function tasksOf(entries: readonly StoreEntry[]): string[] {
  const active = entries.filter(
    ({ source, entry, supersededBy }) =>
      source === "decisions" && entry.type === "decision" && supersededBy.length === 0,
  )
  const documents = new Map<string, number>()
  for (const { entry } of active)
    for (const word of new Set(tokenize(`${entry.title} ${entry.summary}`)))
      documents.set(word, (documents.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.min(...tokenize(word).map((token) => documents.get(token) ?? 0))
  const count = Math.min(tasksPerTeam, active.length)
  return Array.from({ length: count }, (_, at) => {
    const { title } = active[Math.floor(((at + 0.5) * active.length) / count)]?.entry ?? { title: "" }
    const words = title.split(/\s+/).filter((word) => tokenize(word).length > 0)
    const rarest = [...words].sort((one, other) => rarity(one) - rarity(other)).slice(0, words.length > 4 ? 2 : 0)
    return `Work on: ${words.filter((word) => !rarest.includes(word)).join(" ")}`
  })
}

function busiestAgent(entries: readonly StoreEntry[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { source, path } of entries) {
    const agent = source === "history" ? /agents\/([^_/][^/]*)\//.exec(path)?.[1] : undefined
    if (agent !== undefined) counts.set(agent, (counts.get(agent) ?? 0) + 1)
  }
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0]
}

/** By title, since an id may change when an entry that has no date is moved. `form` is undefined where there was no room. */
type Asked = { context: Context; relevant: Map<string, { form: string | undefined; source: string }> }

/** A preview: it is not recorded as a use, which would keep an entry in decisions.md. */
async function contextFor(drey: Drey, task: string, agent: string | undefined): Promise<Asked> {
  const { context } = await drey.context.build({ task, agent, isLook: true })
  const forms = new Map(context.included.map(({ id, form, source }) => [id, { form, source }]))
  const relevant = context.explanation.filter(({ id, lane, signals, relevance }) => {
    const isEntry = lane === "rules" || lane === "team" || lane === "own"
    return isEntry && !id.startsWith("skill:") && signals !== undefined && relevance >= rankWeights.relevance.others
  })
  return {
    context,
    relevant: new Map(relevant.map(({ id, title }) => [title, forms.get(id) ?? { form: undefined, source: "—" }])),
  }
}

function compare(
  counts: Counts,
  { name, task, agent }: { name: string; task: string; agent: string | undefined },
  before: Asked,
  after: Asked,
): void {
  const text = plain(after.context.text)
  for (const [title, { form, source }] of before.relevant) {
    const now = after.relevant.get(title)
    const isShownNow = now?.form !== undefined || text.includes(plain(title).slice(0, 100))
    counts.relevant++
    counts.stillRelevant += Number(now !== undefined || isShownNow)
    if (form === undefined) continue
    counts.shown++
    counts.shownKept += Number(isShownNow)
    counts.detailed += Number(form !== "line")
    counts.detailedKept += Number(form !== "line" && isShownNow)
    const place = now?.form ?? (isShownNow ? "shown" : now === undefined ? "no longer relevant" : "no room")
    if (isShown || !isShownNow)
      console.log(`  ${isShownNow ? "kept" : "LOST"} ${form} → ${place} [${source}] ${title.slice(0, 90)}`)
  }
  if (isShown) console.log(`  ^ ${name}, ${agent ?? "no agent"}: ${task}\n`)
}

function makeWritable(path: string): void {
  const isFolder = statSync(path).isDirectory()
  chmodSync(path, isFolder ? 0o755 : 0o644)
  if (isFolder) for (const name of readdirSync(path)) makeWritable(join(path, name))
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
}

function noCounts(): Counts {
  return { relevant: 0, stillRelevant: 0, detailed: 0, detailedKept: 0, shown: 0, shownKept: 0 }
}

function tell(counts: Counts): string {
  const { relevant, stillRelevant, detailed, detailedKept, shown, shownKept } = counts
  return `relevant ${stillRelevant} of ${relevant}, shown in detail ${detailedKept} of ${detailed}, shown at all ${shownKept} of ${shown}`
}

function share(part: number, whole: number): string {
  return `${part} of ${whole}${whole === 0 ? "" : ` = ${((100 * part) / whole).toFixed(1)} %`}`
}
