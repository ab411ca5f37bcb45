import { findRepository, runGit } from "../disk/git.ts"
import { type AuditPlace, auditEntries, isFullOfArchives, readWriterState, type WriterState } from "./audit.ts"
import { type ChainLink, readAuditLine } from "./audit-chain.ts"

export type AuditProblem = {
  kind: "damaged" | "edited" | "missing" | "inserted" | "shortened"
  path: string
  line: number
  message: string
}

export type AuditVerification = {
  ok: boolean
  lines: number
  chains: { writer: string; first: number; last: number }[]
  problems: AuditProblem[]
  /** Lines of tools that know no chains: neither vouched for nor taken for forgery. */
  foreign: { path: string; line: number }[]
}

type Place = { path: string; line: number }
type Linked = { link: ChainLink } & Place

/** Checks every chain of the audit: an edited, dropped, inserted or forged line shows as a broken link. */
export function verifyAudit({ storeFolder, state: stateFolder, maxArchives }: AuditPlace): AuditVerification {
  const state = readWriterState(stateFolder) // before the files: a process that writes meanwhile only makes them longer
  const problems: AuditProblem[] = []
  const foreign: Place[] = []
  const chains = new Map<string, Linked[]>()
  const seen = new Set<string>()
  let lines = 0
  for (const { path, line, text } of auditEntries(storeFolder)) {
    lines++
    const read = readAuditLine(text)
    if (read.kind === "damaged") problems.push({ kind: "damaged", path, line, message: "This is not an audit record." })
    else if (read.kind === "foreign") foreign.push({ path, line })
    else if (!read.authentic) {
      problems.push({ kind: "edited", path, line, message: "This line is not what was written: its hash is wrong." })
    } else if (!seen.has(text)) {
      seen.add(text) // a merge that keeps both sides may leave one line twice: that is no forgery
      const chain = chains.get(read.link.writer)
      if (chain) chain.push({ link: read.link, path, line })
      else chains.set(read.link.writer, [{ link: read.link, path, line }])
    }
  }
  const mayBegin = isFullOfArchives(storeFolder, maxArchives)
  for (const chain of chains.values()) problems.push(...checkChain(chain, mayBegin))
  // What rotation threw away is not missed.
  const isGone = (hash: string) => !mayBegin && !isOnSomeBranch(storeFolder, hash)
  problems.push(...checkEnds(state, chains, isGone))
  const told = [...chains].map(([writer, chain]) => {
    const numbers = chain.map(({ link }) => link.seq)
    return { writer, first: Math.min(...numbers), last: Math.max(...numbers) }
  })
  return { ok: problems.length === 0, lines, chains: told, problems, foreign }
}

/** Lines of one writer, in any order of files and merges: their numbers leave no gap, and each names the one before it. */
function checkChain(chain: Linked[], mayBeginLater: boolean): AuditProblem[] {
  const problems: AuditProblem[] = []
  let before: ChainLink | undefined
  for (const { link, path, line } of chain.toSorted((one, other) => one.link.seq - other.link.seq)) {
    const report = (kind: AuditProblem["kind"], message: string) => problems.push({ kind, path, line, message })
    const expected = before === undefined ? 1 : before.seq + 1
    if (before === undefined && link.seq > 1 && !mayBeginLater) {
      report("missing", `The ${link.seq - 1} lines of this chain before this one are gone.`)
    } else if (before !== undefined && link.seq < expected) {
      report("inserted", `Number ${link.seq} of this chain is there twice; one of the two was put in.`)
      continue
    } else if (before !== undefined && link.seq > expected) {
      report("missing", `${link.seq - expected} lines of this chain before this one are gone.`)
    } else if (link.prev !== (before?.hash ?? "") && (before !== undefined || link.seq === 1)) {
      report("inserted", "This line does not follow the one before it.")
    }
    before = link
  }
  return problems
}

/** A cut-off end breaks no link, but this clone remembers where its own chains ended. */
function checkEnds(
  state: WriterState | undefined,
  chains: ReadonlyMap<string, Linked[]>,
  isGone: (hash: string) => boolean,
): AuditProblem[] {
  if (!state) return []
  const ends = [...state.ended, state].filter(({ seq }) => seq > 0)
  return ends
    .filter(({ writer, seq }) => !chains.get(writer)?.some(({ link }) => link.seq >= seq))
    .filter(({ hash }) => isGone(hash))
    .map(({ writer, seq }) => ({
      kind: "shortened",
      path: "memory/audit.jsonl",
      line: chains.get(writer)?.at(-1)?.line ?? 1,
      message: `The end of a chain of this clone is gone: it had ${seq} lines.`,
    }))
}

/** Whether some commit of any branch added this line: then it is not gone, another branch is checked out. */
function isOnSomeBranch(storeFolder: string, hash: string): boolean {
  const path = `${findRepository(storeFolder)?.prefix ?? ""}memory`
  const found = runGit(storeFolder, ["log", "--all", "--oneline", "-1", `-S${hash}`, "--", path])
  return found !== undefined && found.length > 0 // no git, or no repository: then no branch has the line either
}
