import type { Attempt, AttemptResult, Discovery, SessionDecision } from "./agent-memory.ts"
import { checkMoments } from "./check-moments.ts"
import { artifactActions, decisionTypes, discoveryTypes } from "./known-values.ts"
import { quoted, type UnplacedProblem, warning } from "./unplaced-problem.ts"
import type { YamlPath } from "./yaml-document.ts"

const summaryLimit = 160
const artifactBytes = 2 * 1024

export function checkDiscovery(discovery: Discovery): UnplacedProblem[] {
  const length = [...(discovery.summary ?? "")].length
  const message = `The summary has ${length} characters: write at most ${summaryLimit}, put the rest in the content.`
  return [
    ...checkMoments(discovery, ["timestamp"]),
    ...checkKnown(discovery.type, discoveryTypes, ["type"]),
    ...(length > summaryLimit ? [warning("too-long", ["summary"], message)] : []),
  ]
}

export function checkDecision(decision: SessionDecision): UnplacedProblem[] {
  return [...checkMoments(decision, ["timestamp"]), ...checkKnown(decision.type, decisionTypes, ["type"])]
}

export function checkAttempt(attempt: Attempt): UnplacedProblem[] {
  return [
    ...checkMoments(attempt, ["timestamp", "updatedAt"]),
    ...checkResult(attempt),
    ...attempt.artifacts.flatMap((artifact, index) => checkArtifact(artifact, ["artifacts", index])),
  ]
}

function checkArtifact({ action, content }: Attempt["artifacts"][number], path: YamlPath): UnplacedProblem[] {
  const bytes = content === undefined ? 0 : new TextEncoder().encode(content).length
  const message = `The content has ${bytes} bytes: keep at most ${artifactBytes}, the file itself contains the rest.`
  return [
    ...(action === undefined ? [] : checkKnown(action, artifactActions, [...path, "action"])),
    ...(bytes > artifactBytes ? [warning("too-long", [...path, "content"], message)] : []),
  ]
}

function checkKnown(value: string, known: readonly string[], path: YamlPath): UnplacedProblem[] {
  if (known.includes(value)) return []
  const message = `${quoted(value)} is not one of the known values; it was kept. Known: ${known.join(", ")}.`
  return [warning("unknown-value", path, message)]
}

/** A `status` or `progress` that cannot be true beside the result. The result counts; these are for people. */
function checkResult({ result, status = "", progress }: Attempt): UnplacedProblem[] {
  const fitting = resultsFor.get(
    status
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_-]/g, " "),
  )
  const percent = Number(/^\s{0,9}(\d{1,3})\s{0,9}%?\s{0,9}$/.exec(String(progress))?.[1] ?? Number.NaN)
  const isOff =
    percent === 100 ? result === "in_progress" || result === "partial" : percent < 100 && result === "success"
  return [
    ...(fitting && !fitting.includes(result) ? [contradiction("status", status, result)] : []),
    ...(isOff ? [contradiction("progress", String(progress), result)] : []),
  ]
}

/** Words for a status, with the results that they fit. */
const resultsFor = new Map<string, readonly AttemptResult[]>([
  ["pending", ["in_progress", "partial"]],
  ["started", ["in_progress", "partial"]],
  ["working", ["in_progress", "partial"]],
  ["running", ["in_progress", "partial"]],
  ["in progress", ["in_progress", "partial"]],
  ["done", ["success", "failure", "partial"]],
  ["finished", ["success", "failure", "partial"]],
  ["complete", ["success", "failure", "partial"]],
  ["completed", ["success", "failure", "partial"]],
  ["success", ["success"]],
  ["succeeded", ["success"]],
  ["passed", ["success"]],
  ["failure", ["failure", "partial"]],
  ["failed", ["failure", "partial"]],
])

function contradiction(field: string, value: string, result: AttemptResult): UnplacedProblem {
  const message = `${quoted(value)} contradicts the result, ${result}, which takes precedence: correct one of the two, or remove ${field}.`
  return warning("contradiction", [field], message)
}
