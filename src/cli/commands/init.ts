import type { Command } from "commander"
import type { FileResult } from "../../connect/apply-connect.ts"
import type { ConnectPlan } from "../../connect/plan-connect.ts"
import { type Drey, openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { SetUpPlan, SetUpStep } from "../../squad/init/set-up-store.ts"
import { askYesNo } from "../ask.ts"
import { command } from "../command.ts"
import { type History, learnFromHistory } from "../learn-from-history.ts"
import { nextCommands } from "../next-commands.ts"
import { type CommonOptions, count, print } from "../print.ts"
import { filesText, resultText } from "../show-connect.ts"
import { ingestDocument } from "../show-learning.ts"
import { intentText, namesText, nextText, setUpText } from "../show-set-up.ts"
import { trustBeside } from "../trusting.ts"
import { writeOut } from "../write-out.ts"
import { thisProgram } from "./connect.ts"

type Options = CommonOptions & {
  dryRun?: boolean
  skipHistory?: boolean
  yes?: boolean
  hook?: boolean
  convert?: boolean
}

export function initCommand(): Command {
  return command(
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
  if (options.dryRun) return finish(drey, options, { plan, steps: [...plan.steps, ...(plan.git ?? [])] })
  const isAsked = !options.json && !options.yes && process.stdin.isTTY === true && process.stdout.isTTY === true
  const show = (text: string) => writeOut(options.json || text === "" ? "" : `${text}\n\n`, { paged: false })
  if (isAsked) await askToBegin(drey, plan, options)
  const { steps } = await drey.team.setUp.apply(plan)
  await trustBeside(options.root)
  show(setUpText(plan, steps))
  const conversion = await convertIfAgreed(drey, plan, { isAsked, asked: options.convert, show })
  const history = options.skipHistory ? undefined : await learnFromHistory(drey)
  show(history?.text ?? "")
  const connection = await connectIfAgreed(drey, { isAsked, yes: options.yes === true, show })
  await finish(drey, options, { plan, steps, history, connection, conversion })
}

declare const DREY_VERSION: string // replaced by the build

/** Legacy entries stay readable, so before version 1.0 they are converted only if the user agrees. */
async function convertIfAgreed(
  drey: Drey,
  { legacy }: SetUpPlan,
  { isAsked, asked, show }: { isAsked: boolean; asked: boolean | undefined; show: (text: string) => void },
): Promise<Conversion | undefined> {
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

type Conversion = { files: string[]; backups: string[] }

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
      `${namesText(plan.clients)} cannot be connected by ${plan.runner}: its copy of Drey is temporary, so agents could not start it later.`,
    )
    return { plan, isDue, results: undefined }
  }
  const place = { root: drey.root, home: process.env.HOME }
  if (isDue && isAsked)
    show(
      `To connect ${namesText(plan.clients)}, these files would be written:\n${filesText(plan, place)}\n${assurance}`,
    )
  const isAgreed = isDue && (yes || (isAsked && (await askYesNo("Connect?"))))
  const results = isAgreed ? await connections.connect(plan) : undefined
  if (results) show(resultText(plan, results, place))
  return { plan, isDue, results }
}

const assurance = 'Nothing else in them is changed; "drey disconnect" restores every file exactly.'

type Outcome = {
  plan: SetUpPlan
  steps: SetUpStep[]
  history?: History | undefined
  connection?: Connection
  conversion?: Conversion | undefined
}

/** Prints the next steps; the JSON document contains the whole result. */
async function finish(drey: Drey, options: Options, outcome: Outcome): Promise<void> {
  const { plan, steps, history, connection, conversion } = outcome
  const dryRun = options.dryRun === true
  const next = connection
    ? nextCommands({
        plan: conversion ? { ...plan, legacy: { ...plan.legacy, convertible: 0 } } : plan,
        isStopped: history?.isStopped === true,
        unconnected: connection.isDue && !connection.results ? connection.plan.clients : [],
        isAnythingKnown: await isAnythingKnown(drey, history),
        runner: connection.plan.runner,
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
      ...(conversion ? { converted: conversion } : {}),
      ...(history ? { history: ingestDocument(history.ingestion), stopped: history.isStopped } : {}),
      ...(connection ? { clients: connection.plan.clients, connected: connection.results !== undefined } : {}),
      next: next.map((each) => each.command),
    }),
    () => setUpText(plan, steps, { dryRun }),
  )
}

/** Whether a context could contain anything. Learned memories are only checked if learning ran. */
async function isAnythingKnown(drey: Drey, history: History | undefined): Promise<boolean> {
  if ((await drey.search.entries({ terms: [], filters: [] })).entries.length > 0) return true
  if (history === undefined) return false
  const learning = drey.memories
  const live = { project: (await learning.project()).id, statuses: ["provisional", "active"] } as const
  return (await learning.list(live)).length > 0
}
