import { existsSync } from "node:fs"
import { fileError } from "../disk/text-files.ts"
import { DreyError } from "../errors.ts"
import type { TranscriptEvent } from "../formats/client-events.ts"
import { scrubText } from "../governance/redaction.ts"
import type { LearningParts } from "./learning-parts.ts"

/** One step of an episode as its transcript has it, without secrets and personal data. */
export type ReplayStep = Pick<TranscriptEvent, "ts" | "line" | "kind" | "tool" | "action" | "command" | "files"> & {
  by: "user" | "agent" | "tool"
  text: string
  isError: boolean
}

/** `missing`: why there are no steps, or only the first ones; the summary is still known. */
export type Replay = { steps: ReplayStep[]; missing?: string }

const mostSteps = 2000
const longestText = 4000

/** The steps of an episode from its transcript, which stays where the client keeps it. */
export async function replayEpisode(parts: Pick<LearningParts, "store" | "clients">, id: string): Promise<Replay> {
  const episode = await parts.store.episode(id)
  const client = parts.clients.find((each) => each.id === episode?.client)
  const [first, last] = [episode?.events[0]?.id, episode?.events.at(-1)?.id]
  if (!episode || !client || first === undefined) return { steps: [], missing: "nothing of it is stored any more" }
  if (!existsSync(episode.transcript)) return { steps: [], missing: `${episode.transcript} no longer exists` }
  const steps: ReplayStep[] = []
  let isInside = false
  try {
    const path = episode.transcript
    const isShared = await parts.store.position(client.id, path, episode.session) // a database with several sessions
    const transcript = { client: client.id, path, ...(isShared ? { session: episode.session } : {}) }
    for await (const { events } of client.read(transcript))
      for (const event of events) {
        if (event.session !== episode.session) continue
        isInside ||= event.id === first
        if (isInside && event.kind !== "mark") steps.push(toStep(event))
        if (event.id === last) return { steps }
        if (steps.length >= mostSteps) return { steps, missing: `only the first ${mostSteps} steps are shown` }
      }
  } catch (error) {
    const problem = error instanceof DreyError ? error : fileError(episode.transcript, error)
    if (!(problem instanceof DreyError)) throw error
    return { steps, missing: problem.message }
  }
  return { steps, missing: "its transcript has changed since" }
}

function toStep({
  ts,
  line,
  kind,
  role,
  text,
  tool,
  action,
  command,
  files,
  isError,
  exitCode,
}: TranscriptEvent): ReplayStep {
  const by = kind === "tool_result" ? "tool" : role === "user" ? "user" : "agent"
  return {
    ts,
    line,
    kind,
    by,
    text: scrubText(text.slice(0, longestText)),
    isError: isError === true || (exitCode ?? 0) !== 0,
    ...(tool === undefined ? {} : { tool }),
    ...(action === undefined ? {} : { action }),
    ...(command === undefined ? {} : { command: scrubText(command) }),
    ...(files === undefined ? {} : { files }),
  }
}
