import { findRepository, runGit } from "../disk/git.ts"
import {
  type AuditPlace,
  auditEntries,
  type ChainLink,
  isFullOfArchives,
  readAuditLine,
  readWriterState,
  type WriterState,
} from "./audit.ts"

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
  /** Lines that git removed: reported, but not treated as tampering. */
  removed: number
  /** The chains of this clone whose end git removed; `check --fix` forgets these ends. */
  removedEnds: string[]
  warnings: string[]
  /** Lines of tools that do not write chains: neither verified nor treated as forged. */
  foreign: { path: string; line: number }[]
}

type Place = { path: string; line: number }
type Linked = { link: ChainLink } & Place

/**
 * Checks every chain of the audit: an edited, dropped, inserted or forged line shows as a broken link.
 *
 * Merges: each checkout writes a chain of its own and begins a new one when its last line is not in the files, so two branches never add to
 * one chain. The files are therefore read as a set of lines. Their order does not matter and a line that is there twice counts once, so any
 * union of two valid audits is valid; within a chain the numbers leave no gap and each line names the hash of the one before it.
 *
 * Lines that are gone: git may take lines away (checkout, stash, reset, revert, a cherry-pick without its predecessor). That is what
 * happened when every line that HEAD has is still here, and the lost lines are in another commit (a gap or an end), or were never committed
 * (an end only: git removes those all at once, never from the middle). Anything else is tampering.
 */
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
    const isNew = !seen.has(text)
    seen.add(text)
    if (read.kind === "damaged") problems.push({ kind: "damaged", path, line, message: "This is not an audit record." })
    else if (read.kind === "foreign") foreign.push({ path, line })
    else if (!read.authentic) {
      problems.push({ kind: "edited", path, line, message: "This line was changed: its hash does not match." })
    } else if (isNew) {
      const chain = chains.get(read.link.writer)
      if (chain) chain.push({ link: read.link, path, line })
      else chains.set(read.link.writer, [{ link: read.link, path, line }])
    }
  }
  const mayBegin = isFullOfArchives(storeFolder, maxArchives)
  const broken = [...chains.values()].flatMap((chain) => checkChain(chain, mayBegin))
  // Lines removed by rotation are not reported as missing.
  if (!mayBegin) broken.push(...checkEnds(state, chains))
  const git = broken.some(({ lost }) => lost) ? askGit(storeFolder, seen) : undefined
  let removed = 0
  const removedEnds: string[] = []
  for (const { lost, writer, ...problem } of broken) {
    const answer = lost && git?.(lost)
    if (answer === "removed") {
      removed += lost?.count ?? 0
      if (writer !== undefined) removedEnds.push(writer)
    } else if (answer !== "elsewhere") problems.push(problem)
  }
  const summary = [...chains].map(([writer, chain]) => {
    const numbers = chain.map(({ link }) => link.seq)
    return { writer, first: Math.min(...numbers), last: Math.max(...numbers) }
  })
  const gone = removed === 1 ? "1 audit line was" : `${removed} audit lines were`
  const warnings = removed === 0 ? [] : [`${gone} removed by git (checkout, stash, reset, revert or cherry-pick).`]
  return { ok: problems.length === 0, lines, chains: summary, problems, removed, removedEnds, warnings, foreign }
}

/** Lines of a chain that are not in the files: how many, the hash of the last one, and whether they are the end of the chain. */
type Lost = { count: number; hash: string; isEnd: boolean }
type Broken = AuditProblem & { lost?: Lost; writer?: string }

/** Lines of one writer, in any order of files and merges: their numbers leave no gap, and each names the one before it. */
function checkChain(chain: Linked[], mayBeginLater: boolean): Broken[] {
  const problems: Broken[] = []
  let before: ChainLink | undefined
  for (const { link, path, line } of chain.toSorted((one, other) => one.link.seq - other.link.seq)) {
    const report = (kind: AuditProblem["kind"], message: string, count?: number) => {
      const lost = count === undefined ? {} : { lost: { count, hash: link.prev, isEnd: false } }
      problems.push({ kind, path, line, message, ...lost })
    }
    const expected = before === undefined ? 1 : before.seq + 1
    const gap = link.seq - expected
    if (before === undefined && gap > 0 && !mayBeginLater) {
      report("missing", `The ${gap} lines of this chain before this one are missing.`, gap)
    } else if (before !== undefined && gap < 0) {
      report("inserted", `Number ${link.seq} of this chain occurs twice; one of the two was inserted.`)
      continue
    } else if (before !== undefined && gap > 0) {
      report("missing", `${gap} lines of this chain before this one are missing.`, gap)
    } else if (link.prev !== (before?.hash ?? "") && (before !== undefined || link.seq === 1)) {
      report("inserted", "This line does not follow the one before it.")
    }
    before = link
  }
  return problems
}

/** A cut-off end breaks no link, but this clone remembers where its own chains ended. */
function checkEnds(state: WriterState | undefined, chains: ReadonlyMap<string, Linked[]>): Broken[] {
  const ends = state ? [...state.ended, state].filter(({ seq }) => seq > 0) : []
  return ends.flatMap(({ writer, seq, hash }): Broken[] => {
    const chain = chains.get(writer) ?? []
    const last = Math.max(0, ...chain.map(({ link }) => link.seq))
    if (last >= seq) return []
    const message = `The end of a chain of this clone is missing: it had ${seq} lines.`
    const place = { path: "memory/audit.jsonl", line: chain.at(-1)?.line ?? 1 }
    return [{ kind: "shortened", ...place, message, writer, lost: { count: seq - last, hash, isEnd: true } }]
  })
}

/**
 * What git knows of lines that are gone: another branch has them (the end of a chain: a normal checkout), git removed them, or it explains
 * nothing. Undefined without a repository that has a commit.
 */
function askGit(
  storeFolder: string,
  present: ReadonlySet<string>,
): ((lost: Lost) => "elsewhere" | "removed" | undefined) | undefined {
  const folder = `${findRepository(storeFolder)?.prefix ?? ""}memory`
  const listed = runGit(storeFolder, ["ls-tree", "-z", "--name-only", "HEAD", "--", `${folder}/`])
  if (!listed) return undefined
  const names = listed
    .toString("utf8")
    .split("\0")
    .filter((name) => /\/audit(?:\.\d+)?\.jsonl$/.test(`/${name}`))
  const committed = names.flatMap(
    (name) =>
      runGit(storeFolder, ["cat-file", "blob", `HEAD:${name}`])
        ?.toString("utf8")
        .split(/\r?\n/) ?? [],
  )
  if (committed.some((line) => line.trim() !== "" && !present.has(line))) return undefined
  return ({ hash, isEnd }) => {
    const log = runGit(storeFolder, ["log", "--all", "--reflog", "--oneline", "-1", `-S${hash}`, "--", folder])
    const isCommitted = log !== undefined && log.length > 0
    if (isEnd && isCommitted) return "elsewhere"
    // Git cannot truncate a file that it never tracked, but it may have moved the whole file away (stash -u, clean).
    return isCommitted || (isEnd && (names.length > 0 || present.size === 0)) ? "removed" : undefined
  }
}
