import { builtInConfig } from "../../config.ts"
import { undated } from "../../formats/legacy/fallbacks.ts"
import { dateOf, instantOf } from "../../formats/timestamp.ts"
import { decisionsLimit, inboxGate } from "../archive/gates.ts"
import type { StoreFile } from "../read-store.ts"
import { tokensOf } from "../tidy/measure.ts"
import { type Examined, grouped, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Check that files are small enough for agents that read them whole. */
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
    return warn(`${found}. They are only proposals until merged; run "drey merge".`)
  return pass(files.length === 0 ? "The inbox is empty." : `${found}.`)
}

/** The entry's own date: in a fresh clone every file has a new modification time. */
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
      `${found}: more than ${grouped(decisionsLimit)} is large for agents that read the whole file without Drey. ${advice}.`,
    )
  }
  return pass(`${found}; agents can read up to ${grouped(decisionsLimit)} whole, without Drey.`)
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
    `${quantity(over.length, "history", "histories")} over ${grouped(historyGate)} bytes: ${nameSome(named)}. That is large for agents that read the whole file without Drey. "drey summarize" moves the oldest parts to an archive; their agent still finds them.`,
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
      `${found}. Over ${grouped(limit)} is a lot for an agent that reads them whole, without Drey. Run "drey tidy" to reduce it.`,
    )
  return pass(`${found}.`)
}

function historyGateOf({ config }: Examined): number {
  return config?.limits.historyBytes ?? builtInConfig.limits.historyBytes
}

/** Agents read and commands change the first team folder only; an older one beside it is ignored. */
function ownFiles({ store, reading }: Examined): StoreFile[] {
  return reading.files.filter(({ folder }) => folder.name === store.folders[0]?.name)
}

function isDecisionsFile({ path }: StoreFile): boolean {
  return /^[^/]+\/decisions\.md$/.test(path)
}

function bytesOf(files: readonly StoreFile[]): number {
  return files.reduce((sum, { content }) => sum + content.bytes, 0)
}
