import { clip } from "../../formats/text.ts"
import type { HandOverList } from "../conversation-summary.ts"

/** Of an attempt or a discovery, as written or as observed. */
export type HandedNote = {
  timestamp: string
  source?: string | undefined
  /** The sub-agent, if it is not the conversation's own agent's. */
  by: string | undefined
  result?: string
  description?: string
  error?: string | null
  output?: string | null
  commands?: readonly string[]
  content?: string
  summary?: string
  importance?: string
}

const mostFailed = 5
const mostFound = 5
const longestLine = 220

/** What the next agent should know: attempts that did not work, what was found out, and what the plan has left. */
export function handOverLists(notes: readonly HandedNote[], steps: readonly string[]): HandOverList[] {
  const inOrder = notes.toSorted((one, other) => Date.parse(one.timestamp) - Date.parse(other.timestamp))
  const lists = [
    { name: "Failed and not solved yet", texts: unsolved(inOrder).slice(-mostFailed).map(tellAttempt) },
    { name: "Found out", texts: found(inOrder).slice(-mostFound).map(tellDiscovery) },
    { name: "Planned next", texts: steps },
  ]
  return lists.filter(({ texts }) => texts.length > 0)
}

/** Failures of which no later attempt with the same check succeeded. */
function unsolved(notes: readonly HandedNote[]): HandedNote[] {
  return notes.filter(({ result, error, commands = [] }, at) => {
    if (result !== "failure" && !(result === "partial" && error)) return false
    return !notes
      .slice(at + 1)
      .some((later) => later.result === "success" && later.commands?.some((each) => commands.includes(each)))
  })
}

/** The important ones last: they are kept when there is little room. */
function found(notes: readonly HandedNote[]): HandedNote[] {
  const discoveries = notes.filter(({ content }) => content !== undefined)
  const isHigh = ({ importance }: HandedNote) => importance === "high" || importance === "critical"
  return [...discoveries.filter((each) => !isHigh(each)), ...discoveries.filter(isHigh)]
}

function tellAttempt({ by, description = "", error, output, commands = [] }: HandedNote): string {
  const command = commands.at(-1)
  const ran = command === undefined || description.includes(command) ? "" : ` (${command})`
  return clip(
    `${by === undefined ? "" : `${by}: `}${description}${ran}: ${error ?? output ?? "it failed"}`,
    longestLine,
  )
}

function tellDiscovery({ by, summary, content = "" }: HandedNote): string {
  const [line = ""] = (summary ?? content).trim().split("\n")
  return clip(`${by === undefined ? "" : `${by}: `}${line}`, longestLine)
}
