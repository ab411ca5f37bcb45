import { resolve } from "node:path"
import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import type { IngestRequest } from "../../learning/learning.ts"
import { command } from "../command.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, print, printNotice } from "../print.ts"
import { learnWriter, type WriterOptions, writerOption } from "./learn-writer.ts"
import {
  graduationText,
  ingestBars,
  ingestDocument,
  ingestText,
  learnedText,
  newMemoryLines,
  pausedText,
} from "./learning-output.ts"

type LearnCommandOptions = WriterOptions & { all?: boolean; now?: boolean; watch?: boolean; allProjects?: boolean }

export function learnCommand(): Command {
  const learn = command(
    "learn",
    "Learn from the work of this project's coding agents: reads what is new in their transcripts. Learning also runs by itself once an agent is connected. Work that was read is not read again.",
    "drey learn\ndrey learn --all\ndrey learn --now\ndrey learn off",
  )
    .argument("[files...]", "transcript files; default: all transcripts of this project")
    .option("--all", "from everything that is there, oldest session first, and retry what failed")
    .addOption(new Option("--now", "also close the current task and learn from it").conflicts("watch"))
    .option("--watch", "keep learning while agents work; Ctrl-C stops")
    .option("--all-projects", "in every project that Drey knows")
    .addOption(writerOption())
    .option("--model <name>", "with --writer: the model, if not its usual one")
    .action(learnNow)
    .enablePositionalOptions() // options after a subcommand's name belong to the subcommand
  learn.addCommand(pauseCommand("off", "learn off"))
  learn.addCommand(resumeCommand("on", "learn on"))
  learn.addCommand(
    command(
      "sync",
      "Share learned memory between your own machines, without a server: through a private git repository, or a folder that a service such as Syncthing or Dropbox copies. What one machine forgets, all forget.",
      "drey learn sync --git git@example.com:ines/memory.git --key ~/.drey/sync.key\ndrey learn sync",
    )
      .addOption(new Option("--git <remote>", "the repository; default: the place used last").conflicts("folder"))
      .option("--folder <dir>", "the folder")
      .option("--key <file>", "encrypt with this key file; makes it if there is none")
      .action(sync),
  )
  learn.addCommand(
    command(
      "review",
      "List memories that need your attention: in conflict, often wrong, or kept only because they are pinned.",
      "drey learn review",
    ).action(async (options: CommonOptions) => (await import("./status.ts")).showReview(options)),
  )
  return learn
}

async function learnNow(files: string[], { all, now, watch, ...options }: LearnCommandOptions): Promise<void> {
  if (watch) return (await import("./watch.ts")).watchInForeground(options)
  if (now) return flush(options)
  return ingest(files, { ...options, retry: all === true })
}

type OptionsSync = CommonOptions & { git?: string; folder?: string; key?: string }

async function sync({ git, folder, key: keyFile, ...options }: OptionsSync): Promise<void> {
  const key = keyFile === undefined ? undefined : resolve(keyFile)
  const isLocal = git !== undefined && !/^[\w.+-]+:|^[^/]*@/.test(git)
  const drey = openDrey(options)
  const synced = await drey.memories.sync(
    git !== undefined
      ? { git: isLocal ? resolve(git) : git, key }
      : folder !== undefined
        ? { folder: resolve(folder), key }
        : undefined,
  )
  await drey.close()
  const { received, sent, madeKey, withheld, unreadable } = synced
  print(
    options,
    () => synced,
    () => `${count(received, "memory", "memories")} changed here, ${count(sent, "memory", "memories")} sent.`,
  )
  if (madeKey) printNotice(`Made the key file ${synced.place.key}. Your other machines need a copy of it.`)
  for (const { id, reason } of withheld) printNotice(`drey: ${id} was not taken: ${reason}`)
  for (const name of unreadable) printNotice(`drey: ${name} is not a memory of Drey; it was left unchanged`)
}

type Options = WriterOptions & { allProjects?: boolean; retry?: boolean }

export function ingestCommand(): Command {
  return command(
    "ingest",
    "Learn from new transcripts of this project's coding agents. Records that were already read are not read again.",
    "drey ingest\ndrey ingest ~/.claude/projects/-src-app/4f2a.jsonl --json",
  )
    .argument("[files...]", "transcript files; default: all transcripts on this machine")
    .option("--all-projects", "for every project that Drey knows")
    .option("--retry", "also retry episodes for which the writer failed too often")
    .addOption(writerOption())
    .option("--model <name>", "with --writer: the model, if not its usual one")
    .action(ingest)
}

async function ingest(files: string[], options: Options): Promise<void> {
  if (options.writer !== undefined) return learnWriter(options)
  await ingestAndShow(options, {
    ...(files.length > 0 ? { files: files.map((file) => resolve(file)) } : {}),
    allProjects: options.allProjects === true,
    parked: options.retry === true,
  })
}

export function replayCommand(): Command {
  return command(
    "replay",
    "Learn from all existing transcripts of this project, oldest session first; each memory gets the date of the work it came from. An interrupted run resumes where it stopped, and running it again does nothing. Same as drey ingest --retry: also retries episodes for which the writer failed too often.",
    "drey replay\ndrey replay --json",
  ).action((options: CommonOptions) => ingestAndShow(options, { parked: true }))
}

/** Shared by `ingest` and `replay`: read, learn, print the result. */
async function ingestAndShow(options: CommonOptions, request: IngestRequest): Promise<void> {
  const drey = openDrey(options)
  const bars = ingestBars()
  const learning = drey.memories
  const ingestion = await learning.ingest({ ...request, progress: bars.progress })
  bars.end()
  const memories = await newMemoryLines(learning, ingestion.learned.outcomes)
  await drey.close()
  print(
    options,
    () => ingestDocument(ingestion),
    () => [ingestText(ingestion), ...memories].join("\n"),
  )
  for (const { path, message } of ingestion.unreadable) printNotice(`drey: skipped ${path}: ${message}`)
}

export function flushCommand(): Command {
  return command(
    "flush",
    "Close the current task and learn from it now, instead of when the next task starts. Running it again does nothing.",
    "drey flush",
  ).action(flush)
}

async function flush(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const read = await learning.ingest() // messages since the last read belong to the task
  const flushed = await learning.flush()
  const memories = await newMemoryLines(learning, [...read.learned.outcomes, ...flushed.learned.outcomes])
  await drey.close()
  print(
    options,
    () => flushed,
    () =>
      [
        ...pausedText(flushed.paused),
        ...(flushed.paused.length > 0 ? [] : [closedText(flushed.episodes)]),
        ...learnedText(flushed.learned),
        ...graduationText(flushed.graduation),
        ...memories,
      ].join("\n"),
  )
}

function closedText(episodes: number): string {
  return episodes === 0 ? "No task was open." : `Closed ${count(episodes, "task")}.`
}

type OptionsEvaluate = CommonOptions & { dryRun?: boolean }

export function evaluateCommand(): Command {
  return command(
    "evaluate",
    "Promote or retire learned memories based on results: promotes memories that helped, retires those that went unused or expired, and prints the reason for each. Also runs automatically every few episodes.",
    "drey evaluate --dry-run\ndrey evaluate --json",
  )
    .option("--dry-run", "show the decisions and what would be proposed, and change nothing")
    .action(evaluate)
}

async function evaluate(options: OptionsEvaluate): Promise<void> {
  const drey = openDrey(options)
  const { decisions, graduation } = await drey.memories.evaluate({ dryRun: options.dryRun === true })
  await drey.close()
  print(
    options,
    () => ({ decisions: decisions.map(({ memory, ...decision }) => ({ id: memory, ...decision })), graduation }),
    () => {
      const lines = decisions.map(
        ({ memory, result, reason }) => `${colors.bold(result.padEnd(9))} ${memory}  ${reason}`,
      )
      const verb = options.dryRun ? "would change" : "changed"
      return [
        ...lines,
        decisions.length === 0 ? "Nothing is due." : `${count(decisions.length, "memory", "memories")} ${verb}.`,
        ...graduationText(graduation, { dryRun: options.dryRun === true }),
      ].join("\n")
    },
  )
}

export function policyCommand(): Command {
  const policy = command(
    "policy",
    "Show the policy for promoting and retiring learned memories: built-in defaults, then the user's memory_policy.toml, then the project's.",
    "drey policy\ndrey policy reload",
  )
    .action(show)
    .enablePositionalOptions() // options after a subcommand's name belong to the subcommand
  policy.addCommand(
    command("show", "Show the current policy, key by key.", "drey policy show --json").action(
      (options: CommonOptions) => show(options),
    ),
  )
  policy.addCommand(
    command("reload", "Check the policy files, and reload them in a running watch.", "drey policy reload").action(
      reload,
    ),
  )
  return policy
}

async function show(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const { policy, files, warnings } = await drey.memories.policy()
  const { writePolicy } = await import("../../formats/policy-toml.ts")
  await drey.close()
  print(
    options,
    () => ({ policy, files, warnings }),
    () => {
      const sources =
        files.length === 0
          ? "# Built-in defaults; no policy file found."
          : `# From ${files.join(", ")}; everything else is the default.`
      return `${sources}\n\n${writePolicy(policy)}`
    },
  )
  for (const warning of warnings) printNotice(`drey: ${warning}`)
}

async function reload(options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const { files, warnings } = await drey.memories.policy()
  await drey.close()
  const { reloadWatch } = await import("../../rpc/rpc-client.ts")
  const running = await reloadWatch(process.env)
  print(
    options,
    () => ({ files, warnings, running }),
    () =>
      `${files.length === 0 ? "No policy file: the built-in defaults apply." : `Read ${files.join(", ")}.`}${running ? " The running watch has reloaded it." : ""}`,
  )
  for (const warning of warnings) printNotice(`drey: ${warning}`)
}

type OptionsPause = CommonOptions & { project?: boolean }

export function pauseCommand(name = "pause", typed = name): Command {
  return command(
    name,
    `Pause learning: transcripts are not read until drey ${typed === name ? "resume" : "learn on"}. Existing memories are still used.`,
    `drey ${typed}\ndrey ${typed} --project`,
  )
    .option("--project", "only in this project; default: everywhere")
    .action(pause)
}

async function pause(options: OptionsPause): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const of = options.project ? "project" : "everything"
  const isNew = await learning.transcripts.pause(of)
  const inForce = await learning.transcripts.activePause()
  await drey.close()
  print(
    options,
    () => ({ paused: of, isNew, ...inForce }),
    () =>
      `Learning is paused ${options.project ? "in this project" : "everywhere"}${isNew ? "" : ` since ${inForce?.since}`}. Transcripts written in the meantime are read after "drey learn on${options.project ? " --project" : ""}".`,
  )
}

type OptionsResume = CommonOptions & { project?: boolean }

export function resumeCommand(name = "resume", typed = name): Command {
  return command(
    name,
    "Resume learning after a pause. Transcripts written in the meantime are read next.",
    `drey ${typed}\ndrey ${typed} --project`,
  )
    .option("--project", "end this project's pause; default: the global pause")
    .action(resume)
}

async function resume(options: OptionsResume): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const was = await learning.transcripts.resume(options.project ? "project" : "everything")
  const inForce = await learning.transcripts.activePause()
  await drey.close()
  print(
    options,
    () => ({ resumed: was, paused: inForce ?? null }),
    () => {
      const still = inForce && (inForce.of === "project" ? "drey learn on --project" : "drey learn on")
      const done = was ? "Learning resumed." : "Learning was not paused."
      return still
        ? `${was ? "This pause has ended" : "There was no such pause"}, but learning is still paused since ${inForce.since}. To end that pause: ${still}`
        : done
    },
  )
}
