import { resolve } from "node:path"
import type { Command } from "commander"
import type { FileResult } from "../../clients/connect/connect-files.ts"
import type { ConnectPlan } from "../../clients/connect/connect-plan.ts"
import { type Drey, openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { indexHistoryInBackground } from "../../hooks/background-process.ts"
import type { Ingestion } from "../../learning/ingest.ts"
import type { FoundSource } from "../../team/import/foreign-sources.ts"
import type { SetUpPlan, SetUpStep } from "../../team/setup.ts"
import { writingCommand } from "../command.ts"
import { colors, writeOut } from "../output.ts"
import { type CommonOptions, count, formatNumber, print } from "../print.ts"
import { askYesNo } from "../prompt.ts"
import { tryTrustForUser } from "../trust-on-write.ts"
import { filesText, resultText, thisProgram } from "./connect.ts"
import { foundText } from "./import-export.ts"
import { clientNames, intentText, nextCommands, nextText, setUpText } from "./init-output.ts"
import { askForWriter } from "./learn-writer.ts"
import { ingestBars, ingestDocument, ingestText, newMemoryLines } from "./learning-output.ts"

type Options = CommonOptions & {
  dryRun?: boolean
  skipHistory?: boolean
  yes?: boolean
  hook?: boolean
  convert?: boolean
}

export function initCommand(): Command {
  return writingCommand(
    "init",
    "Set up Drey in a repository: creates the team folder with decisions, inbox, memory policy, skills and entry templates, and registers git's merge driver. Existing files are not changed. Then learns from existing agent transcripts and offers to connect the coding agents it finds. On a terminal it shows the plan and asks; otherwise it does everything except connect.",
    "drey init\ndrey init --dry-run\ndrey init --yes\ndrey init --convert\ndrey init --hook",
  )
    .option("--dry-run", "show what would be done and write nothing")
    .option("-y, --yes", "do not ask, and connect the coding agents it finds")
    .option("--hook", "also run drey validate --staged before each commit; an existing hook is kept")
    .option("--convert", "also convert legacy entries to SEM; a backup is kept (default from version 1.0)")
    .option("--no-convert", "do not convert legacy entries")
    .option("--skip-history", "do not learn from existing transcripts; drey replay does it later")
    .action(init)
}

async function init(options: Options): Promise<void> {
  const drey = openDrey(options)
  const plan = await drey.team.setUp.plan({ command: "init", hook: options.hook === true })
  const found = await drey.team.sources.find()
  if (options.dryRun) return finish(drey, options, { plan, found, steps: [...plan.steps, ...(plan.git ?? [])] })
  const isAsked = !options.json && !options.yes && process.stdin.isTTY === true && process.stdout.isTTY === true
  const show = (text: string) => writeOut(options.json || text === "" ? "" : `${text}\n\n`, { paged: false })
  if (isAsked) await askToBegin(drey, plan, options)
  const { steps } = await drey.team.setUp.apply(plan)
  await tryTrustForUser(options.root)
  show(setUpText(plan, steps))
  const conversion = await convertIfAgreed(drey, plan, { isAsked, asked: options.convert, show })
  const imported = await importIfAgreed(drey, found, { isAsked, show })
  const history = options.skipHistory ? undefined : await learnFromHistory(drey)
  show(history?.text ?? "")
  show(await startHistory(drey))
  if (isAsked) await offerWriters(drey)
  const connection = await connectIfAgreed(drey, { isAsked, yes: options.yes === true, show })
  await finish(drey, options, { plan, steps, found, imported, history, connection, conversion })
}

/** Shows what other tools have here, with counts; imports it as proposals only if the user agrees. */
async function importIfAgreed(
  drey: Drey,
  found: readonly FoundSource[],
  { isAsked, show }: { isAsked: boolean; show: (text: string) => void },
): Promise<number | undefined> {
  if (found.length === 0) return undefined
  show(foundHere(found))
  if (!isAsked || !(await askYesNo("Import these as proposals to review?"))) return undefined
  let proposed = 0
  for (const { path, isReadByAgents } of found) {
    const absolute = resolve(drey.root, path)
    if (isReadByAgents) await drey.team.sources.index(absolute)
    else {
      const result = await drey.team.import(absolute)
      if (result.kind === "proposals") proposed += result.proposed.length
    }
  }
  const read = found.filter(({ isReadByAgents }) => isReadByAgents).map(({ path }) => path)
  const indexed = read.length === 0 ? [] : [`Searches find ${read.join(" and ")}, which agents read by themselves.`]
  show([`Proposed ${count(proposed, "entry", "entries")}. Review them: drey inbox`, ...indexed].join("\n"))
  return proposed
}

function foundHere(found: readonly FoundSource[]): string {
  return `${colors.bold("Found, to import as proposals:")}\n${foundText(found)}`
}

/** The first search indexes a short history by itself. */
const shortHistory = 2000

/** Starts indexing git's history if that takes long. */
async function startHistory(drey: Drey): Promise<string> {
  const { indexed, total } = await drey.search.past.state()
  if (total - indexed <= shortHistory) return ""
  indexHistoryInBackground({ program: process.argv[1] ?? "", root: drey.root, environment: process.env })
  return `${formatNumber(total - indexed)} commits are being indexed in the background. drey status shows how far it is.`
}

/** Asked once, after the history was read by the built-in writer: what lies before the question is not sent anywhere. */
async function offerWriters(drey: Drey): Promise<void> {
  if (drey.memories.writer.isChosen()) return
  const offers = await drey.memories.writer.offers()
  if (offers.length > 1) await askForWriter(drey, offers)
}

declare const DREY_VERSION: string // replaced by the build

/** Legacy entries stay readable, so before version 1.0 they are converted only if the user agrees. */
async function convertIfAgreed(
  drey: Drey,
  { legacy }: SetUpPlan,
  { isAsked, asked, show }: { isAsked: boolean; asked: boolean | undefined; show: (text: string) => void },
): Promise<ConvertedHistory | undefined> {
  if (legacy.convertible === 0 || asked === false) return undefined
  const entries = count(legacy.convertible, "legacy entry", "legacy entries")
  const isUsual = asked === true || Number.parseInt(DREY_VERSION, 10) >= 1
  if (!isUsual && !(isAsked && (await askYesNo(`Convert ${entries} to SEM? A backup is kept.`)))) return undefined
  const result = await drey.team.conversion.apply(await drey.team.conversion.plan({}))
  const [backup] = result.backups
  show(
    `Converted ${count(result.converted.length, "file")} to SEM.${backup ? ` The originals are in ${backup}; "drey undo" restores them.` : ""}`,
  )
  return { files: result.converted.map(({ file }) => file.path), backups: result.backups }
}

type ConvertedHistory = { files: string[]; backups: string[] }

async function askToBegin(drey: Drey, plan: SetUpPlan, { skipHistory = false }: Options): Promise<void> {
  const { clients, runner } = await drey.clients.as(thisProgram()).planConnect({})
  writeOut(`${intentText(plan, clients, { skipHistory, runner })}\n`, { paged: false })
  if (await askYesNo("Continue?", { usual: "yes" })) return
  throw new DreyError("Nothing was done", { exitCode: exitCode.no })
}

/** The detected coding agents and the files written for them; `results` is undefined if the user declined or nothing was due. */
type Connection = { plan: ConnectPlan; isDue: boolean; results: FileResult[] | undefined }

async function connectIfAgreed(
  drey: Drey,
  { isAsked, yes, show }: { isAsked: boolean; yes: boolean; show: (text: string) => void },
): Promise<Connection> {
  const connections = drey.clients.as(thisProgram())
  const plan = await connections.planConnect({})
  const isDue = plan.files.some((file) => file.change !== "left" && file.writing !== undefined)
  if (isDue && plan.runner !== undefined) {
    show(
      `${clientNames(plan.clients)} cannot be connected by ${plan.runner}: its copy of Drey is temporary, so agents could not start it later.`,
    )
    return { plan, isDue, results: undefined }
  }
  const place = { root: drey.root, home: process.env.HOME }
  if (isDue && isAsked)
    show(
      `To connect ${clientNames(plan.clients)}, these files would be written:\n${filesText(plan, place)}\n${assurance}`,
    )
  const isAgreed = isDue && (yes || (isAsked && (await askYesNo("Connect?"))))
  const results = isAgreed ? await connections.connect(plan) : undefined
  if (results) show(resultText(plan, results, place))
  return { plan, isDue, results }
}

const assurance = 'Nothing else in them is changed; "drey disconnect" restores every file exactly.'

type InitOutcome = {
  plan: SetUpPlan
  steps: SetUpStep[]
  found: FoundSource[]
  /** The number of proposals made from what was found. */
  imported?: number | undefined
  history?: HistoryResult | undefined
  connection?: Connection
  conversion?: ConvertedHistory | undefined
}

/** Prints the next steps; the JSON document contains the whole result. */
async function finish(drey: Drey, options: Options, outcome: InitOutcome): Promise<void> {
  const { plan, steps, found, imported, history, connection, conversion } = outcome
  const dryRun = options.dryRun === true
  const next = connection
    ? nextCommands({
        plan: conversion ? { ...plan, legacy: { ...plan.legacy, convertible: 0 } } : plan,
        isStopped: history?.isStopped === true,
        unconnected: connection.isDue && !connection.results ? connection.plan.clients : [],
        isAnythingKnown: await isAnythingKnown(drey, history),
        runner: connection.plan.runner,
        found: imported === undefined ? found : [],
        proposed: imported ?? 0,
      })
    : []
  await drey.close()
  if (connection && !options.json) {
    writeOut(`${nextText(next)}\n`, { paged: false }) // the output above was printed as it happened, so no pager for the rest
    return
  }
  print(
    options,
    () => ({
      folder: plan.folder.name,
      dryRun,
      git: plan.git !== undefined,
      files: steps,
      legacy: plan.legacy,
      found,
      ...(imported === undefined ? {} : { imported }),
      ...(conversion ? { converted: conversion } : {}),
      ...(history ? { history: ingestDocument(history.ingestion), stopped: history.isStopped } : {}),
      ...(connection ? { clients: connection.plan.clients, connected: connection.results !== undefined } : {}),
      next: next.map((each) => each.command),
    }),
    () => [setUpText(plan, steps, { dryRun }), ...(found.length > 0 ? ["", foundHere(found)] : [])].join("\n"),
  )
}

/** Whether a context could contain anything. Learned memories are only checked if learning ran. */
async function isAnythingKnown(drey: Drey, history: HistoryResult | undefined): Promise<boolean> {
  if ((await drey.search.entries({ terms: [], filters: [] })).entries.length > 0) return true
  if (history === undefined) return false
  const learning = drey.memories
  const live = { project: (await learning.project()).id, statuses: ["provisional", "active"] } as const
  return (await learning.list(live)).length > 0
}

/** The result of learning from a project's history; `text` includes the first few memories. */
type HistoryResult = { ingestion: Ingestion; isStopped: boolean; text: string }

const examples = 3

/** Learns from the project's existing transcripts. Ctrl-C stops between two steps; finished steps are kept. */
async function learnFromHistory(drey: Drey): Promise<HistoryResult> {
  const stop = new AbortController()
  const end = () => stop.abort() // a second Ctrl-C kills the process, which loses nothing either
  process.once("SIGINT", end)
  const bars = ingestBars()
  try {
    const learning = drey.memories
    const ingestion = await learning.ingest({ progress: bars.progress, signal: stop.signal })
    bars.end()
    const taken = ingestion.learned.outcomes.filter(({ kind }) => kind !== "dropped")
    const lines = [historyText(ingestion), ...(await newMemoryLines(learning, taken, examples))]
    if (stop.signal.aborted) lines.push('Stopped. Resume with "drey replay".')
    return { ingestion, isStopped: stop.signal.aborted, text: lines.join("\n") }
  } finally {
    process.off("SIGINT", end)
    bars.end()
  }
}

function historyText(ingestion: Ingestion): string {
  const { records, paused, troubled, learned } = ingestion
  const isNothing = records + paused.length + troubled.length + learned.episodes === 0
  return isNothing ? "No new agent transcripts found for this repository." : ingestText(ingestion)
}

type OptionsUpgrade = CommonOptions & { dryRun?: boolean; force?: boolean }

export function upgradeCommand(): Command {
  return writingCommand(
    "upgrade",
    "Upgrade a team folder to this version of Drey: same as init, and also replaces skills and templates installed by an older version, unless they were edited.",
    "drey upgrade --dry-run\ndrey upgrade",
  )
    .option("--dry-run", "show what would be done and write nothing")
    .option("--force", 'also replace edited skills and templates; "drey undo" restores them')
    .action(upgrade)
}

async function upgrade(options: OptionsUpgrade): Promise<void> {
  const dryRun = options.dryRun === true
  const drey = openDrey(options)
  const plan = await drey.team.setUp.plan({ command: "upgrade", force: options.force === true })
  const steps = dryRun ? [...plan.steps, ...(plan.git ?? [])] : (await drey.team.setUp.apply(plan)).steps
  await drey.close()
  const { folder, git, legacy } = plan
  print(
    options,
    () => ({ folder: folder.name, dryRun, git: git !== undefined, files: steps, legacy }),
    () => setUpText(plan, steps, { dryRun }),
  )
}
