import {
  type HistoryCommit,
  historyHead,
  isByProgram,
  listCommits,
  readCommits,
  withoutTrailers,
} from "../../disk/git-log.ts"
import { splitSentences } from "../../formats/text.ts"
import type { ForeignEntry } from "./foreign-entry.ts"
import type { ForeignSource } from "./foreign-sources.ts"

/** Older commits are not read: what was decided there has mostly changed since, and nobody waits for minutes. */
const mostRead = 5000
/** More than this is not reviewed by anyone. */
const mostProposed = 100

/** The decisions that a repository's newest commits state, newest first, each with its commit as the source. */
export async function readDecisionCommits(root: string): Promise<ForeignSource> {
  const head = await historyHead(root)
  const ids = head && (await listCommits(root, head.head, { most: mostRead }))
  const commits = await readCommits(root, ids ?? [], { files: false })
  const reverted = new Set(
    commits.flatMap(({ message }) => /^This reverts commit ([0-9a-f]{7,64})/m.exec(message)?.[1] ?? []),
  )
  const isReverted = (id: string) => [...reverted].some((other) => id.startsWith(other))
  const seen = new Set<string>()
  const entries = commits.flatMap((commit) => {
    const entry = isReverted(commit.id) ? undefined : decisionIn(commit)
    if (!entry || seen.has(entry.title)) return []
    seen.add(entry.title)
    return [entry]
  })
  const older = entries.length - mostProposed
  return {
    format: "commits",
    entries: entries.slice(0, mostProposed),
    broken: [],
    skipped: older > 0 ? [{ reason: `older than the newest ${mostProposed}`, count: older }] : [],
  }
}

/** A commit's decision as a proposal; undefined if the commit does not say that something was decided. */
export function decisionIn({ id, parents, author, at, message }: HistoryCommit): ForeignEntry | undefined {
  const [subject = "", ...rest] = withoutTrailers(message).split("\n")
  if (parents > 1 || isByProgram(author, subject) || /^(?:revert\b|merge\b|fixup!|squash!)/i.test(subject))
    return undefined
  const body = rest.join("\n").trim()
  const title = statementIn(subject, body)
  if (title === undefined) return undefined
  return {
    key: id,
    file: id.slice(0, 12),
    line: 1,
    type: "decision",
    title: title.replace(/^\p{Ll}(?=\p{Ll}* )/u, (letter) => letter.toUpperCase()),
    details: body === "" ? subject : `${subject}\n\n${body}`,
    date: new Date(at).toISOString().slice(0, 10),
    authors: [author],
    tags: [],
    supersedes: [],
    extensions: [{ name: "commit", value: id }],
  }
}

/** The words that state the decision: a footer, a marked line, a sentence, or the subject of a breaking change. */
function statementIn(subject: string, body: string): string | undefined {
  const paragraphs = body.replace(/^```[\s\S]*?^```/gm, "").split(/\n\s*\n/)
  const own = paragraphs.filter((text) => !/^(?:\s*>|\t| {4})/.test(text)) // quoted, or code
  const blocks = own
    .flatMap((text) => text.split(/\n(?=[A-Z][\w -]{2,20}: |[-*] )/))
    .map((text) => text.replace(/\s+/g, " ").trim())
  const sentences = blocks.filter((text) => !/^[-*] /.test(text)).flatMap(splitSentences)
  for (const text of [subject, ...blocks, ...sentences]) {
    const [first = ""] = splitSentences(footer.exec(text)?.[1] ?? "")
    if (isStatement(first)) return first
  }
  const breaking = breakingSubject.exec(subject)?.[1]
  if (breaking !== undefined && isStatement(breaking)) return breaking
  return [subject, ...sentences].find((text) => isStatement(text) && deciding.some((pattern) => pattern.test(text)))
}

/** `BREAKING CHANGE: …`, `Decision: …`, `Policy: …` at the beginning of a line or sentence. */
const footer =
  /^(?:BREAKING(?:[ -]CHANGES?)?|(?:\w+\([^)]*\): )?(?:Decision|Decided|Policy|Convention|Directive|Constraint|New (?:rule|policy)|The (?:rule|policy))): +(.+)$/i

/** `feat(api)!: …`, `module: (breaking change) …`. */
const breakingSubject = /^(?:\w+(?:\([^)]*\))?!: +|[\w-]+: \(breaking(?: change)?\) +)(.+)$/i

const deciding = [
  /\b(?:we|i|the (?:team|maintainers|council|group))(?:'ve| have)? (?:\w+ )?(?:decided|agreed|settled|opted|chosen) (?:to|that|on|for|against|not to)\b/i,
  /\b(?:it|this) (?:was|has been) (?:\w+ )?(?:decided|agreed)\b/i,
  /\b(?:the|our) (?:[\w-]+ )?decision (?:is|was) (?:to|that|not)\b/i,
  /\b(?:per|following|according to) (?:the|our) (?:[\w-]+ ){0,3}(?:decision|policy|agreement)\b/i,
  /^(?:from now on|going forward|henceforth)\b/i,
  /\b(?:the|our) (?:new )?(?:policy|rule|convention) (?:is (?:to|that|not to)|pins|says that|requires)\b/i,
]

/** Long enough to be one, and neither a question nor about what is still open. */
function isStatement(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length >= 4 && !/\?\s*$/.test(text) && !open.test(text)
}

const open =
  /\b(?:undecided|(?:not|never|nothing|yet to be|to be|hasn't been|wasn't) (?:yet )?(?:decided|agreed)|decide (?:whether|if|later)|tbd|if (?:it|we) (?:is|are|was) (?:decided|agreed))\b/i
