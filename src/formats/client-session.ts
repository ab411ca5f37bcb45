import { clip, toOneLine } from "./text.ts"

/** One session of a coding agent: the request, the result, and what it left behind. */
export type ClientSession = {
  /** The client by its id, and as people write it. */
  client: string
  name: string
  session: string
  transcript: string
  start: number
  end: number
  /** Its last task was worked on until a few minutes ago. */
  isRunning: boolean
  tasks: SessionTask[]
  /** Memories first learned from it that are still in use. */
  learned: { id: string; kind: string; text: string }[]
  /** Tasks that were not learned from yet. */
  waiting: number
  /** Files that were changed, the most changed first. */
  files: string[]
  /** Commands that failed and did not succeed later in the session. */
  failed: { command: string; error: string; times: number }[]
}

export type SessionTask = {
  /** The request in the user's words. */
  text: string
  outcome: "success" | "partial" | "uncertain" | "failure" | "running"
  /** Further messages of the user about it. */
  more: number
}

const mostFailed = 3
const longestCommand = 50

/** What happened in a session, as labelled lines without anything that could steer a terminal. */
export function describeSession(
  session: ClientSession,
  { decided, width }: { decided: readonly { id: string; type: string; title: string }[]; width: number },
): { label: string; text: string }[] {
  const { tasks, learned, files, failed } = session
  const line = (label: string, text: string) => ({ label, text: oneLine(text, width) })
  return [
    ...(tasks.length === 0 ? [line("asked", "(no user message recorded)")] : []),
    ...tasks.map(({ text, outcome, more }) => {
      const followUps = more === 0 ? "" : ` (+${more} more ${more === 1 ? "message" : "messages"})`
      return { label: outcomes[outcome], text: `${oneLine(plainRequest(text), width - followUps.length)}${followUps}` }
    }),
    ...decided.map(({ id, type, title }) => line(type, `[${id}] ${title}`)),
    ...learned.map(({ id, kind, text }) => line("learned", `[${id}] ${kind}: ${text}`)),
    ...failed.slice(0, mostFailed).map(({ command, error, times }) => {
      const often = times === 1 ? "" : ` (${times} times)`
      return line("left open", `${oneLine(command, longestCommand)} failed${often}${error === "" ? "" : `: ${error}`}`)
    }),
    ...(files.length === 0 ? [] : [{ label: "files", text: listFiles(files, width) }]),
  ]
}

/** Claude Code itself writes the words before a plan that the user has agreed to. */
function plainRequest(text: string): string {
  return text.replace(/^\s*Implement the following plan:\s*(?:#+\s*)?(?:Plan:\s*)?/i, "Plan: ")
}

/** As many as fit into a line, one at least. */
export function listFiles(files: readonly string[], width: number): string {
  const names = files.map((file) => oneLine(file, 80))
  for (let shown = names.length; shown > 1; shown--) {
    const more = names.length - shown
    const line = `${names.slice(0, shown).join(", ")}${more === 0 ? "" : ` and ${more} more`}`
    if (line.length <= width) return line
  }
  return names.length === 1 ? `${names[0]}` : `${names[0]} and ${names.length - 1} more`
}

const outcomes: Record<SessionTask["outcome"], string> = {
  success: "done",
  partial: "partly done",
  uncertain: "asked",
  failure: "failed",
  running: "running",
}

/** `25 min`, `3 h 10 min`. */
export function describeDuration(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const rest = minutes % 60
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`
}

const longestWord = 60

function oneLine(text: string, width: number): string {
  const broken = toOneLine(text).replace(/\S{61,}/gu, (word) => `${[...word].slice(0, longestWord - 1).join("")}…`)
  return clip(broken, Math.max(20, width))
}
