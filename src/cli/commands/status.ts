import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { dropUnseen } from "../../formats/drop-unseen.ts"
import { handleOf } from "../../formats/memory-handle.ts"
import type { LearningStatus } from "../../learning/read-status.ts"
import type { Memory } from "../../store/memory.ts"
import type { RepositoryTrust } from "../../trust.ts"
import { colors } from "../colors.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, formatNumber, print } from "../print.ts"
import { episodesText, pausedText } from "../show-learning.ts"
import { trustText } from "./trust.ts"

type Options = CommonOptions & { review?: boolean; all?: boolean }

export function statusCommand(): Command {
  return command(
    "status",
    "Show what Drey has learned in this project: transcripts read, memories on trial and proven. With --review: memories that need your attention. With --all: every memory on trial or proven.",
    "drey status\ndrey status --review",
  )
    .option("--review", "memories that conflict, are often wrong, or are kept only because they are pinned")
    .addOption(new Option("--all", "every memory on trial or proven").conflicts("review"))
    .action(showStatus)
}

async function showStatus(options: Options): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const status = await learning.status()
  const live = { project: (await learning.project()).id, statuses: ["provisional", "active"] as const }
  const all = options.all ? await learning.list(live) : undefined
  const trust = await drey.team.trust()
  await drey.close()
  const document = { ...status, trusted: trust.kind === "trusted" }
  print(
    options,
    () => (all ? { ...document, memories: all } : document),
    () => (options.review ? reviewText(status) : all ? allText(all) : statusText(status, trust)),
  )
}

function statusText(status: LearningStatus, trust: RepositoryTrust): string {
  const { project, former, writer, writerProblem, counts, baseline, best, review, clients, pause } = status
  const { memories } = counts
  const line = (name: string, value: string) => `${colors.dim(name.padEnd(13))}${value}`
  const present = clients.filter(({ transcripts }) => transcripts > 0)
  return [
    line("project", `${project.id}  ${project.root}`),
    ...former.map(({ id, memories }) => line("formerly", formerText(project, id, memories))),
    line("trusted", trustText(trust)),
    ...(pause ? [line("paused", pausedText([{ project, pause }]).join())] : []),
    line("writer", writerProblem === undefined ? writer : colors.yellow(`${writer}: ${writerProblem}`)),
    line(
      "transcripts",
      present.length === 0
        ? "none on this machine"
        : present
            .map(
              ({ name, transcripts, maturity }) =>
                `${formatNumber(transcripts)} of ${name}${maturity === "proven" ? "" : " (experimental)"}`,
            )
            .join(", "),
    ),
    line("episodes", episodesText(counts)),
    line(
      "memories",
      `${formatNumber(memories.active)} proven, ${formatNumber(memories.provisional)} on trial, ${formatNumber(memories.deprecated)} ended`,
    ),
    line(
      "baseline",
      baseline.episodes === 0
        ? "no tasks without memory yet"
        : `${baseline.errors.toFixed(1)} errors and ${baseline.retries.toFixed(1)} retry loops per task (${count(baseline.episodes, "task")} without memory)`,
    ),
    ...(review.length > 0
      ? [line("review", `${count(review.length, "memory", "memories")} to review: drey status --review`)]
      : []),
    ...(best.length > 0 ? ["", ...best.map(memoryLine)] : []),
  ].join("\n")
}

/** The project's remote or name changed. Only the user knows whether it is still the same project. */
function formerText(project: LearningStatus["project"], id: string, memories: number): string {
  const setting = JSON.stringify({ projects: { [project.root]: project.id } })
  return colors.yellow(
    `${id}, before the remote or the name changed; ${count(memories, "memory", "memories")} are still there. To use them here, add ${setting} to ~/.drey/config.json.`,
  )
}

function allText(memories: readonly Memory[]): string {
  return memories.length === 0 ? "No memories yet." : memories.map(memoryLine).join("\n")
}

function memoryLine({ id, kind, status, text }: Memory): string {
  return `${handleOf(id)}  ${status === "active" ? colors.green("proven") : "trial "}  ${kind}: ${dropUnseen(text)}`
}

function reviewText({ review }: LearningStatus): string {
  if (review.length === 0) return "Nothing to review."
  return review
    .map(
      ({ memory, reason }) =>
        `${handleOf(memory.id)}  ${memory.kind}: ${dropUnseen(memory.text)}\n  ${colors.yellow(reason)}`,
    )
    .join("\n")
}
