import type { Command } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { ambiguousId, DreyError, exitCode } from "../../errors.ts"
import { handleOf } from "../../formats/ids.ts"
import { didYouMean, removeInvisible } from "../../formats/text.ts"
import { dayOf } from "../../formats/timestamp.ts"
import type { MemoryExplanation } from "../../memories/review/outlook.ts"

import type { JudgedName, State } from "../../memories/staleness/name-verdict.ts"
import type { StalenessReport } from "../../memories/staleness/staleness.ts"
import type { ContextRecord } from "../../recall/context/context-log.ts"
import type { ItemExplanation } from "../../recall/context/item-explanation.ts"
import { command } from "../command.ts"
import { colors } from "../output.ts"
import { showPast } from "../past-output.ts"
import { type CommonOptions, count, pathFromHere, print, printReadProblems, typeName } from "../print.ts"

type Options = CommonOptions & { task?: string; agent?: string; replay?: boolean }
type Explained = ItemExplanation & { names: JudgedName[] }

export function showCommand(): Command {
  return command(
    "show",
    "Explain one entry or memory: its text, source and status, whether the files, commands and symbols it names still exist, the contexts that included it, and its rank for a task. For a learned memory also its evidence with transcript, line and quote, its uses and results, and what would promote or retire it. For a conversation or commit: what was said and done, and which led to which; for a file or FILE:LINE: the commit that changed it, its conversation and decisions. With --task alone: the contexts that agents got for that task, or in that client session, and why.",
    'drey show sem-3f9a2c41d0e7\ndrey show m:4f2a91\ndrey show sem-3f9a2c41d0e7 --task "Add a refresh token"\ndrey why src/login.ts:12\ndrey show --task t-1f0c22ab9d31',
  )
    .alias("why")
    .argument(
      "[id]",
      "the item's id, as shown by search and contexts, or a unique prefix of it; a commit; or a file, also as FILE:LINE",
    )
    .option("--task <text>", "a task, the task id of a context, or a client's session")
    .option("--agent <name>", "rank the item for this agent")
    .option("--replay", "show a conversation step by step, from its transcript")
    .action(explain)
}

async function explain(typed: string | undefined, options: Options): Promise<void> {
  if (typed === undefined) return showTask(options)
  const drey = openDrey(options)
  if (/^m[-:][0-9a-f]+$/.test(typed)) return showMemory(drey, typed, options)
  const { ids, ...skipped } = await drey.search.idsLike(typed)
  if (ids.length > 1) throw ambiguousId(typed, ids)
  const id = ids[0] ?? typed
  if (ids.length === 0) {
    if (await showPast(drey, typed, options)) return drey.close()
    printReadProblems(skipped)
    throw await noItem(drey, id)
  }
  if (/^m-[0-9a-f]{16}$/.test(id)) return showMemory(drey, id, options)
  const { explanation, ...trouble } = await drey.search.explain(typed, {
    task: options.task,
    agent: options.agent,
  })
  if (!explanation) throw await noItem(drey, id)
  const { supersedes, supersededBy } = explanation.item
  const short = await drey.search.shortIds(options.json ? [] : [...supersedes, ...supersededBy])
  print(
    options,
    () => toDocument(explanation),
    () => toText(explanation, short, drey.root),
  )
  printReadProblems(trouble)
}

async function noItem(drey: Drey, id: string): Promise<DreyError> {
  const known = (await drey.search.names("items")).map(({ name }) => name)
  const meant = didYouMean(id, known)
  return new DreyError(`No item has the id ${id}`, {
    hint: meant === undefined ? "Run drey search to find ids." : `Did you mean ${meant}?`,
    exitCode: exitCode.no,
  })
}

async function showMemory(drey: Drey, id: string, options: Options): Promise<void> {
  const explanation = await drey.memories.explain(id)
  const { text, created } = explanation.memory
  const names = await drey.memories.staleness.namesIn({ title: "", text, at: Date.parse(created) })
  await drey.close()
  print(
    options,
    () => ({ ...explanation, names }),
    () => [memoryText(explanation), ...namedThingsLines(names)].join("\n"),
  )
}

async function showTask(options: Options): Promise<void> {
  if (options.task === undefined) throw new DreyError("Name an item, or a task with --task")
  const drey = openDrey(options)
  const records = await drey.context.recorded(options.task)
  const short = await drey.search.shortIds(
    options.json ? [] : records.flatMap(({ items }) => items.map(({ id }) => id)),
  )
  print(
    options,
    () => records,
    () => records.map((record) => taskText(record, short)).join("\n\n"),
  )
  if (records.length > 0) return
  throw new DreyError("No context is recorded for this task", { exitCode: exitCode.no })
}

function taskText(
  { taskId, at, occasion, items, left, ...record }: ContextRecord,
  short: (id: string) => string,
): string {
  const { agent, client, session, budget, tokens } = record
  const place = [client, session && `session ${session}`, occasion && `at ${occasions[occasion]}`].filter(Boolean)
  const where = removeInvisible(place.join(", "))
  const to = agent === undefined ? where || "no agent named" : where === "" ? agent : `${agent} (${where})`
  const head = `${colors.bold(taskId)}  ${at}  ${to}  ${tokens} of ${budget} tokens`
  const lines = items.map(
    ({ id, rank, tokens: cost, reason }) =>
      `  ${String(rank).padStart(2)}. ${short(id)}  ${colors.dim([`${cost} tokens`, reason].filter(Boolean).join(", "))}`,
  )
  return [head, ...lines, colors.dim(`  ${count(left, "item")} considered and left out`)].join("\n")
}

const occasions = { "session start": "its start", "tool call": "a tool call", error: "an error" } as const

function toDocument({ item, formerId, standing, result, names, uses, forTask }: Explained): object {
  const { payload, row, position, at, expires, ...shown } = item
  return {
    ...shown,
    ...(at === undefined ? {} : { date: new Date(at).toISOString() }),
    ...(expires === undefined ? {} : { expires: new Date(expires).toISOString() }),
    ...(formerId === undefined ? {} : { formerId }),
    standing,
    ...(result === undefined ? {} : { result }),
    names,
    uses,
    ...(forTask === undefined
      ? {}
      : {
          forTask: {
            rank: forTask.rank,
            of: forTask.of,
            score: forTask.ranked?.score,
            relevance: forTask.ranked?.relevance,
            signals: forTask.ranked?.signals,
          },
        }),
  }
}

function toText(
  { item, formerId, standing, result, names, uses, forTask }: Explained,
  short: (id: string) => string,
  root: string,
): string {
  const date = item.at === undefined ? "undated" : dayOf(item.at)
  const line = (name: string, value: string) => `${colors.dim(name.padEnd(13))}${removeInvisible(value)}`
  const lastUse = uses[0]
  const shortened = (reason: string) => item.supersededBy.reduce((text, id) => text.replace(id, short(id)), reason)
  return [
    `${colors.bold(removeInvisible(item.title))} ${colors.dim(removeInvisible(`[${item.id}]`))}`,
    line(
      "written",
      `${[typeName(item.type), result].filter(Boolean).join(", ")} by ${[item.author, ...item.contributors].join(", ")}, ${date}`,
    ),
    line("source", `${pathFromHere(item.path, root)}:${item.line} (${item.source})`),
    line("for", item.agent === undefined ? item.scope : `${item.agent} alone`),
    line("status", standing.kind === "left" ? `not handed out: ${shortened(standing.reason)}` : standing.reason),
    ...(item.expires === undefined ? [] : [line("expires", expiryText(item.expires))]),
    ...(item.supersedes.length > 0 ? [line("replaces", item.supersedes.map(short).join(", "))] : []),
    ...(item.supersededBy.length > 0 ? [line("replaced by", item.supersededBy.map(short).join(", "))] : []),
    ...(formerId === undefined ? [] : [line("was", formerId)]),
    line(
      "handed out",
      lastUse
        ? `${count(uses.length, "time")}, last ${lastUse.at} for ${lastUse.agent ?? "no agent"} at rank ${lastUse.rank} (task ${lastUse.taskId})`
        : "never yet",
    ),
    ...(forTask ? [line("for the task", rankText(forTask))] : []),
    ...namedThingsLines(names),
    "",
    removeInvisible(item.text),
  ].join("\n")
}

function expiryText(expires: number): string {
  return `${dayOf(expires)}${expires <= Date.now() ? "; a review is due" : ""}`
}

function rankText({ rank, of, ranked }: NonNullable<ItemExplanation["forTask"]>): string {
  if (rank === undefined || !ranked) return `not among the ${of} closest items`
  const verdict = ranked.qualifies ? "relevant" : "not relevant"
  return `rank ${rank} of ${of}, ${verdict} (score ${ranked.score.toFixed(3)}, relevance ${ranked.relevance.toFixed(2)})`
}

const states = { provisional: "on trial", active: "proven", deprecated: "retired" } as const

const origins = {
  user: "the user's own words",
  verified: "a verified outcome",
  agent: "an agent's conclusion",
  tool: "a tool's output",
  import: "imported",
} as const

const sources = {
  failure_then_success: "a failure, then success",
  user_correction: "the user corrected the agent",
  explicit_statement: "the user said so",
  pattern_observed: "observed pattern",
  guard_triggered: "a triggered warning",
} as const

/** Explains a learned memory: its text, evidence, usage and what would change its status. */
function memoryText({ memory, evidence, uses, audit, outlook }: MemoryExplanation): string {
  const line = (name: string, value: string) => `${colors.dim(name.padEnd(13))}${removeInvisible(value)}`
  const { metrics } = memory
  const handedOut = uses.filter(({ injected }) => injected).length
  const where = memory.pathPrefix ?? (memory.scope === "global" ? "every project of its owner" : "this project")
  return [
    `${colors.bold(removeInvisible(memory.text))} ${colors.dim(`[${handleOf(memory.id)}]`)}`,
    line(
      "memory",
      `${memory.id}, ${memory.kind === "invariant" ? "an" : "a"} ${memory.kind}${memory.key === undefined ? "" : ` under ${memory.key}`}`,
    ),
    line(
      "state",
      `${states[memory.status]}, ${memory.tier.replace("_", " ")}${memory.pinned ? ", pinned" : ""}${memory.flags.length > 0 ? ` (${memory.flags.join(", ")})` : ""}`,
    ),
    line("for", `${where}; ${memory.owner.type} ${memory.owner.id}`),
    line("origin", `${origins[memory.origin]}, trust ${memory.trust} of 3, confidence ${memory.confidence.toFixed(2)}`),
    ...(memory.contributedBy === undefined ? [] : [line("shared by", memory.contributedBy)]),
    ...(memory.derivedFrom === undefined ? [] : [line("refines", memory.derivedFrom)]),
    line(
      "learned",
      `${memory.created.slice(0, 10)}${memory.expires === undefined ? "" : `, expires ${memory.expires.slice(0, 10)}`}`,
    ),
    line(
      "use",
      `${count(metrics.opportunities, "opportunity", "opportunities")}, handed out ${count(metrics.useCount, "time")}, skipped ${count(metrics.passedOver, "time")}; helped ${count(metrics.hits, "time")}, failed ${count(metrics.misses, "time")}`,
    ),
    ...(metrics.regretSaved === 0 && metrics.netRegret === 0
      ? [] // no difference to the baseline, or no baseline yet
      : [line("credit", `${metrics.regretSaved.toFixed(2)} errors saved (net ${metrics.netRegret.toFixed(2)})`)]),
    "",
    ...evidence.flatMap(({ source, transcript, line: at, quote, created, frustration }) => [
      `${colors.dim("evidence")}     ${created.slice(0, 10)}  ${sources[source]}${frustration === "none" ? "" : `, ${frustration} frustration`}`,
      `             ${removeInvisible(transcript)}${at > 0 ? `:${at}` : ""}`,
      ...(quote === "" ? [] : [`             ${colors.italic(`“${removeInvisible(quote)}”`)}`]),
    ]),
    ...(handedOut > 0
      ? [
          "",
          ...uses
            .filter(({ injected }) => injected)
            .slice(-5)
            .map(useText),
        ]
      : []),
    ...(audit.length > 1
      ? [
          "",
          ...audit.map(
            ({ ts, action, reason }) =>
              `${colors.dim("history")}      ${ts.slice(0, 10)}  ${action}: ${removeInvisible(reason)}`,
          ),
        ]
      : []),
    "",
    ...outlook.map((sentence) => `${colors.dim("next")}         ${sentence}`),
  ].join("\n")
}

function useText({ ts, task, rank, outcome, exposed }: MemoryExplanation["uses"][number]): string {
  const told = {
    hit: "it helped",
    helped: "reported as helpful",
    miss: "the error came back",
    wrong: "reported as wrong",
  }
  const result = outcome === undefined ? (exposed ? "relevant, outcome unknown" : "outcome unknown") : told[outcome]
  return `${colors.dim("used")}         ${ts.slice(0, 16).replace("T", " ")}  ${task}${rank === undefined ? "" : ` at rank ${rank}`}: ${result}`
}

const paint: Record<State, (text: string) => string> = {
  gone: colors.red,
  moved: colors.yellow,
  changed: colors.yellow,
  valid: (text) => text,
  unverifiable: colors.dim,
}

/** One line per file, command or symbol that an item names. */
function namedThingsLines(names: readonly JudgedName[]): string[] {
  return names.map(
    ({ words, verdict }) => `${colors.dim("names")}        ${paint[verdict.state](removeInvisible(words))}`,
  )
}

export function stalenessText({ items, counts, stale }: StalenessReport): string {
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0)
  return [
    `${count(all, "name")} in ${count(items, "item")}: ${counts.valid} valid, ${counts.moved} moved, ${counts.gone} gone, ${counts.changed} in heavily changed files, ${counts.unverifiable} not checkable.`,
    ...stale.map(({ id, words, verdict }) => `${colors.dim(id)}  ${paint[verdict.state](removeInvisible(words))}`),
  ].join("\n")
}
