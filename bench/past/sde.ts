import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDrey } from "../../src/drey.ts"
import { claudeSession } from "../../test/claude-session.ts"
import type { Arm } from "../recall/arm.ts"
import type { Document } from "../recall/data.ts"

type Turn = { role: "user" | "assistant"; text: string }

type Task = {
  task_id: string
  source: "conversation" | "conversation-amended" | "history"
  module: string
  bug_report: string
  conversations?: Turn[] | Turn[][]
  cause_subject?: string
  decision_subject?: string
  decision_rationale?: string
}

type LoggedCommit = { commit: string; date: string; message: string; files: string[] }

/** What settles a task, and what it has replaced: sessions, or the subject of a commit. */
type Case = { task: Task; right: string[]; stale: string[] }

type Found = { right: boolean; staleAbove: boolean; inContext: boolean }

/**
 * sde-bench: whether the conversation or commit that settles a bug report is in its context or among the first five
 * results, and whether what it amended is above it. One repository per kind of task, each with all decoy conversations
 * and the whole history.
 */
export async function printSde(folder: string, arms: readonly Arm[]): Promise<void> {
  const tasks = readdirSync(folder)
    .filter((name) => name.startsWith("boltons-") && !name.endsWith(".jsonl"))
    .map((name) => readTask(join(folder, name, "tasks")))
  for (const source of ["conversation", "conversation-amended", "history"] as const) {
    const own = tasks.filter((task) => task.source === source)
    await printKind(folder, source, own, arms)
  }
  await printKind(folder, "conversation-amended", readAmended(), arms, "amended, of other subjects")
}

type AmendedCase = { id: string; task: string; first: [Turn["role"], string][]; second: [Turn["role"], string][] }

/** Pairs of conversations of other subjects than the data set, whose second one changes a rule, mostly without saying so. */
function readAmended(): Task[] {
  const cases: AmendedCase[] = JSON.parse(readFileSync("bench/past/amended.json", "utf8"))
  return cases.map(({ id, task, first, second }) => ({
    task_id: `own-${id}`,
    source: "conversation-amended",
    module: "",
    bug_report: task,
    conversations: [first, second].map((turns) => turns.map(([role, text]) => ({ role, text }))),
  }))
}

/** One history task tells its decision only beside its bug report. */
function readTask(folder: string): Task {
  const task: Task = JSON.parse(readFileSync(join(folder, "main", "task.json"), "utf8"))
  if (task.source !== "history" || task.decision_subject !== undefined) return task
  const oracle: Task = JSON.parse(readFileSync(join(folder, "oracle", "task.json"), "utf8"))
  const [, told = ""] = /\(from a past commit\): ([\s\S]*)/.exec(oracle.bug_report) ?? []
  const [subject = "", why = ""] = told.split(/(?<=_remove_all)\. /)
  return { ...task, decision_subject: subject, decision_rationale: why, cause_subject: "perf: simplify __setitem__" }
}

async function printKind(
  folder: string,
  source: Task["source"],
  tasks: readonly Task[],
  arms: readonly Arm[],
  name: string = source,
): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "drey-bench-sde-"))
  const [home, root] = [join(place, "home"), join(place, "boltons")]
  mkdirSync(join(root, ".squad"), { recursive: true })
  try {
    const documents: Document[] = []
    const say = (id: string, turns: readonly Turn[], start: Date) => {
      const session = claudeSession(home, { cwd: root, session: id, start: start.toISOString(), everyMs: 60_000 })
      for (const { role, text } of turns) session[role](text)
      const text = turns.map((turn) => turn.text).join("\n\n")
      documents.push({ id, title: "", text, at: start.getTime(), origin: `conv-${id}`, position: 0 })
    }
    const decoys: { id: string; turns: Turn[] }[] = JSON.parse(
      readFileSync(join(folder, "gen", "decoy_conversations.json"), "utf8"),
    )
    decoys.forEach(({ id, turns }, at) => {
      say(id, turns, day(at % 60))
    })
    const cases = tasks.map((task, at): Case => {
      const conversations = toList(task.conversations)
      const ids = conversations.map((_, part) => `${task.task_id}-${part}`)
      conversations.forEach((turns, part) => {
        say(ids[part] ?? "", turns, day(at + 30 * part))
      })
      return { task, right: ids.length > 0 ? ids.slice(-1) : [task.decision_subject ?? ""], stale: ids.slice(0, -1) }
    })
    documents.push(...commitAll(root, readHistory(folder, source === "history" ? tasks : [])))
    const found = new Map<string, Found[]>([["Drey", await askDrey({ home, root }, cases)]])
    for (const arm of arms) found.set(arm.name, await askArm(arm, documents, cases))
    console.log(`\n### ${name}: ${cases.length} tasks among ${documents.length} conversations and commits`)
    for (const [arm, each] of found) {
      const count = (is: (one: Found) => boolean) => `${each.filter(is).length} of ${each.length}`
      console.log(
        `${arm.padEnd(14)} first five ${count(({ right }) => right)}, context or first five ${count((one) => one.right || one.inContext)}, amended first ${count(({ staleAbove }) => !staleAbove)}`,
      )
    }
    for (const [at, one] of (found.get("Drey") ?? []).entries())
      if (!one.right || one.staleAbove) console.log(`  missed: ${cases[at]?.task.task_id} ${JSON.stringify(one)}`)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

function day(offset: number): Date {
  return new Date(Date.UTC(2026, 8, 1, 9) + offset * 24 * 60 * 60 * 1000)
}

function toList(conversations: Task["conversations"]): Turn[][] {
  const [first] = conversations ?? []
  return first === undefined ? [] : Array.isArray(first) ? (conversations as Turn[][]) : [conversations as Turn[]]
}

type NewCommit = { subject: string; message: string; files: string[]; at: number }

/** The host's history, oldest first; then each task's decision and the commit that broke it. */
function readHistory(folder: string, tasks: readonly Task[]): NewCommit[] {
  const logged = readFileSync(join(folder, "boltons-log.jsonl"), "utf8").trim().split("\n").reverse()
  const real = logged.map((line) => {
    const { message, files, date }: LoggedCommit = JSON.parse(line)
    return { subject: message.split("\n")[0] ?? "", message, files, at: Date.parse(date) }
  })
  const planted = tasks.flatMap(
    ({ decision_subject: subject, decision_rationale: why, cause_subject: cause = "", module }, at) =>
      subject === undefined
        ? []
        : [
            { subject, message: `${subject}\n\n${why}`, files: [module], at: day(at).getTime() },
            { subject: cause, message: cause, files: [module], at: day(at + 40).getTime() },
          ],
  )
  return [...real, ...planted.sort((one, other) => one.at - other.at)]
}

function commitAll(root: string, commits: readonly NewCommit[]): Document[] {
  const git = (args: string[], input = "") => execFileSync("git", ["-C", root, ...args], { input, maxBuffer: 2 ** 28 })
  git(["init", "-q", "-b", "main"])
  const stream = commits.map(({ message, files, at }, number) => {
    const who = `Dev <dev@example.com> ${Math.floor(at / 1000)} +0000`
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
    const changed = files.map((file) => `M 100644 inline ${file}\n${data(String(number))}`).join("")
    return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n${data(message)}${changed}`
  })
  git(["fast-import", "--quiet"], stream.join("\n"))
  return commits.map(({ subject, message, at }, position) => ({
    id: `${subject} ${position}`,
    title: "",
    text: message,
    at,
    origin: "commits",
    position,
  }))
}

async function askDrey({ home, root }: { home: string; root: string }, cases: readonly Case[]): Promise<Found[]> {
  const environment = { HOME: home, DREY_HOME: join(home, ".drey"), PATH: process.env.PATH, DREY_WRITER: "rules" }
  const drey = openDrey({ root, environment, warn: () => {} })
  try {
    await drey.memories.ingest()
    await drey.search.past.index()
    const found: Found[] = []
    for (const { task, right, stale } of cases) {
      const query = { terms: [{ text: task.bug_report, negated: false }], filters: [] }
      const { hits } = await drey.search.items({ query: wordsOnly(query.terms[0]?.text ?? ""), limit: 20 })
      const isOf = (names: readonly string[]) => (hit: (typeof hits)[number]) =>
        names.some((name) =>
          hit.source === "commit"
            ? hit.title.startsWith(name) || hit.snippet.includes(name)
            : hit.path.includes(`${name}.jsonl`),
        )
      const [at, before] = [hits.findIndex(isOf(right)), hits.findIndex(isOf(stale))]
      const { context } = await drey.context.build({ task: task.bug_report, budget: 2000, isLook: true })
      const inContext = right.some((name) => context.text.includes(name))
      found.push({ right: at >= 0 && at < 5, staleAbove: before >= 0 && (at < 0 || before < at), inContext })
    }
    return found
  } finally {
    await drey.close()
  }
}

function wordsOnly(text: string) {
  return { terms: text.split(/\s+/).map((word) => ({ text: word, negated: false })), filters: [] }
}

async function askArm(arm: Arm, documents: Document[], cases: readonly Case[]): Promise<Found[]> {
  const opened = await arm.open({ name: "sde", documents, split: "development" })
  try {
    const found: Found[] = []
    for (const { task, right, stale } of cases) {
      const ids = (await opened.search(task.bug_report, 20)).map(({ id }) => id)
      const isOf = (names: readonly string[]) => (id: string) =>
        names.some((name) => id === name || id.startsWith(`${name} `))
      const [at, before] = [ids.findIndex(isOf(right)), ids.findIndex(isOf(stale))]
      found.push({ right: at >= 0 && at < 5, staleAbove: before >= 0 && (at < 0 || before < at), inContext: false })
    }
    return found
  } finally {
    await opened.close()
  }
}
