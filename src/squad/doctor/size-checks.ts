import { builtInConfig } from "../../config.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { dateOf, instantOf } from "../../formats/timestamp.ts"
import { decisionsLimit, inboxGate } from "../archive/gates.ts"
import type { StoreFile } from "../read-store.ts"
import { tokensOf } from "../tidy/measure.ts"
import { type Examined, grouped, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Is everything small enough to be read whole, as agents do? */
export const sizeChecks: NamedCheck[] = [
  { name: "inbox", examine: examineInbox },
  { name: "decisions size", examine: examineDecisionsSize },
  { name: "history size", examine: examineHistorySize },
  { name: "context cost", examine: examineContextCost },
]

const day = 86_400_000

function examineInbox(examined: Examined): Verdict {
  const files = ownFiles(examined).filter(({ source }) => source === "inbox")
  const { now } = examined
  const days = Math.floor(Math.max(0, ...files.map((file) => now.getTime() - writtenAt(file))) / day)
  const found = `${quantity(files.length, "file")} in the inbox, the oldest ${quantity(days, "day")} old`
  if (files.length > inboxGate.files || days > inboxGate.days)
    return warn(`${found}: agents do not see them yet. "drey merge" is due.`)
  return pass(files.length === 0 ? "The inbox is empty." : `${found}.`)
}

/** When the entry says it was written; a fresh clone makes every file look new. */
function writtenAt({ read, content }: StoreFile): number {
  const dates = read.entries.map(({ entry }) => entry.timestamp).filter((timestamp) => dateOf(timestamp) !== undated)
  return dates.length > 0 ? Math.min(...dates.map(instantOf)) : content.modifiedMs
}

function examineDecisionsSize(examined: Examined): Verdict {
  const bytes = bytesOf(ownFiles(examined).filter(isDecisionsFile))
  const found = `decisions.md has ${quantity(bytes, "byte")}`
  if (bytes >= decisionsLimit) {
    const advice = `"drey archive" moves superseded entries and notes out first; moved entries are still found`
    return warn(
      `${found}: more than ${grouped(decisionsLimit)} is large for agents that read the whole file without Drey, without Drey. ${advice}.`,
    )
  }
  return pass(`${found}; up to ${grouped(decisionsLimit)}, agents can read it whole, without Drey.`)
}

function examineHistorySize(examined: Examined): Verdict {
  const historyGate = historyGateOf(examined)
  const over = ownFiles(examined).filter(({ source, content }) => source === "history" && content.bytes > historyGate)
  if (over.length === 0)
    return pass(`Every history has at most ${grouped(historyGate)} bytes; agents can read it whole, without Drey.`)
  const named = over
    .sort((one, other) => other.content.bytes - one.content.bytes)
    .map(({ path, content }) => `${path} (${grouped(content.bytes)})`)
  return warn(
    `${quantity(over.length, "history", "histories")} over ${grouped(historyGate)} bytes: ${nameSome(named)}. That is large for agents that read the whole file without Drey, without Drey. "drey summarize" moves the oldest parts out; their agent still finds them.`,
  )
}

function examineContextCost(examined: Examined): Verdict {
  const files = ownFiles(examined)
  const shared = bytesOf(files.filter(isDecisionsFile))
  const histories = files.filter(({ source, path }) => source === "history" && !path.includes("/_alumni/"))
  if (histories.length === 0)
    return pass(`An agent that reads decisions.md whole loads ${quantity(tokensOf(shared), "token")}.`)
  const costs = [...new Set(histories.map(({ agent }) => agent ?? ""))]
    .map((agent) => ({ agent, tokens: tokensOf(shared + bytesOf(histories.filter((file) => file.agent === agent))) }))
    .sort((one, other) => other.tokens - one.tokens)
  const named = nameSome(costs.map(({ agent, tokens }) => `${agent} ${grouped(tokens)}`))
  const found = `Tokens that an agent loads with decisions.md and its own history: ${named}`
  const limit = tokensOf(decisionsLimit + historyGateOf(examined))
  if ((costs[0]?.tokens ?? 0) > limit)
    return warn(
      `${found}. Over ${grouped(limit)} is much for an agent that reads them whole, without Drey: "drey tidy" makes them smaller.`,
    )
  return pass(`${found}.`)
}

function historyGateOf({ config }: Examined): number {
  return config?.limits.historyBytes ?? builtInConfig.limits.historyBytes
}

/** Agents read the first team folder, and commands work on it; an older one beside it is left alone. */
function ownFiles({ store, reading }: Examined): StoreFile[] {
  return reading.files.filter(({ folder }) => folder.name === store.folders[0]?.name)
}

function isDecisionsFile({ path }: StoreFile): boolean {
  return /^[^/]+\/decisions\.md$/.test(path)
}

function bytesOf(files: readonly StoreFile[]): number {
  return files.reduce((sum, { content }) => sum + content.bytes, 0)
}
