import { existsSync } from "node:fs"
import type { PastItem } from "../drey/past.ts"
import type { Drey } from "../drey.ts"
import { ambiguousId, DreyError, exitCode } from "../errors.ts"
import { describeDuration } from "../formats/client-session.ts"
import { clip, removeInvisible, toOneLine } from "../formats/text.ts"
import { dayOf } from "../formats/timestamp.ts"
import type { StoredItem } from "../index/index-store.ts"
import type { ReplayStep } from "../learning/replay.ts"
import type { CommitPayload, ConversationPayload } from "../recall/payload.ts"
import type { LineOrigin } from "../recall/search/origin-of-line.ts"
import { colors } from "./output.ts"
import { type CommonOptions, print } from "./print.ts"

/**
 * Shows a conversation, a commit, or why a file or one of its lines is as it is; false if the name is none of these.
 */
export async function showPast(
  drey: Drey,
  typed: string,
  options: CommonOptions & { replay?: boolean },
): Promise<boolean> {
  const { found, ids } = await drey.search.past.open(typed)
  if (ids.length > 1) throw ambiguousId(typed, ids)
  if (found) {
    const { told } = found
    if (told.kind === "conversation" && options.replay) await showReplay(drey, found.item, options)
    else
      print(
        options,
        () => toDocument(found),
        () => (told.kind === "conversation" ? conversationText(found, told) : commitText(found, told)),
      )
    return true
  }
  const [, file = "", line] = /^(.+?)(?::(\d+))?$/.exec(typed) ?? []
  if (!/[/.]/.test(file)) return false
  const origin = await drey.search.past.trace(file, line === undefined ? undefined : Number(line))
  if (origin.commits.length === 0 && origin.decided.length === 0) {
    if (!existsSync(file)) return false
    throw new DreyError(`No commit or decision is recorded for ${typed}`, { exitCode: exitCode.no })
  }
  print(
    options,
    () => ({ ...origin, commits: origin.commits.map(toTraced), decided: origin.decided.map(toBrief) }),
    () => originText(origin),
  )
  return true
}

function toDocument({ item, told, linked }: PastItem): object {
  const { payload, row, position, at, expires, ...shown } = item
  const { kind, ...more } = told
  const date = at === undefined ? {} : { date: new Date(at).toISOString() }
  return { ...shown, ...more, ...date, linked: linked.map(toBrief) }
}

function toBrief({
  id,
  source,
  title,
  author,
  at,
}: Pick<StoredItem, "id" | "source" | "title" | "author" | "at">): object {
  return { id, source, title, author, ...(at === undefined ? {} : { date: new Date(at).toISOString() }) }
}

function toTraced({ commit, conversations }: LineOrigin["commits"][number]): object {
  return { ...toBrief({ source: "commit", ...commit }), conversations: conversations.map(toBrief) }
}

const field = (name: string, value: string) => `${colors.dim(name.padEnd(11))}${removeInvisible(value)}`

function conversationText({ item, linked }: PastItem, said: ConversationPayload): string {
  const span = Date.parse(said.end) - Date.parse(said.start)
  return [
    `${colors.bold(removeInvisible(item.title))} ${colors.dim(`[${item.id}]`)}`,
    field("said", `${dayOf(item.at ?? 0)}, ${describeDuration(span)}, ${said.client}, session ${said.session}`),
    field("result", outcomes[said.outcome]),
    field("transcript", `${item.path}:${item.line}`),
    ...linked.map((commit) => field("commit", `${commit.id}  ${commit.title}`)),
    ...(said.edited.length === 0 ? [] : [field("changed", said.edited.join(", "))]),
    ...said.tried.map(({ command, result, error }) =>
      field(result, `${clip(toOneLine(command), 100)}${error === undefined ? "" : `: ${error}`}`),
    ),
    "",
    ...said.said.map(
      ({ by, text, line }) => `${paintSide(by)} ${removeInvisible(text)} ${colors.dim(`(line ${line})`)}`,
    ),
    "",
    colors.dim(`The whole conversation: drey show ${item.id} --replay`),
  ].join("\n")
}

const outcomes: Record<ConversationPayload["outcome"], string> = {
  success: "done",
  partial: "partly done",
  uncertain: "not known",
  failure: "failed",
}

function paintSide(by: ReplayStep["by"]): string {
  return by === "user" ? colors.green("user: ") : by === "agent" ? colors.cyan("agent:") : colors.dim("      ")
}

function commitText({ item, linked }: PastItem, commit: CommitPayload): string {
  return [
    `${colors.bold(removeInvisible(item.title))} ${colors.dim(`[${item.id}]`)}`,
    field(item.type, `${commit.id} by ${item.author}, ${dayOf(item.at ?? 0)}`),
    ...linked.map(conversationLine),
    "",
    removeInvisible(item.text),
  ].join("\n")
}

function conversationLine({ id, at, author, title }: StoredItem): string {
  return field("made in", `${id}  ${dayOf(at ?? 0)} with ${author}: ${title}`)
}

function originText({ file, line, commits, decided }: LineOrigin): string {
  return [
    colors.bold(removeInvisible(line === undefined ? file : `${file}:${line}`)),
    ...commits.flatMap(({ commit, conversations }) => [
      field("commit", `${commit.id}  ${dayOf(commit.at ?? 0)} ${commit.author}: ${commit.title}`),
      ...conversations.map((each) => `  ${conversationLine(each)}`),
    ]),
    ...(commits.length === 0 ? [field("commit", "not committed yet")] : []),
    ...decided.map(({ id, source, title }) => field(source === "learned" ? "learned" : "decided", `[${id}] ${title}`)),
  ].join("\n")
}

async function showReplay(drey: Drey, item: StoredItem, options: CommonOptions): Promise<void> {
  const { steps, missing } = await drey.search.past.replay(item.id)
  if (steps.length === 0)
    throw new DreyError(`The conversation cannot be replayed: ${missing}`, {
      hint: `Its summary: drey show ${item.id}`,
    })
  print(
    options,
    () => ({ id: item.id, steps, ...(missing === undefined ? {} : { missing }) }),
    () => [...steps.map(stepText), ...(missing === undefined ? [] : [colors.dim(`(${missing})`)])].join("\n"),
  )
}

function stepText({ by, text, kind, command, tool, files = [], isError }: ReplayStep): string {
  const what = kind === "tool_call" ? colors.yellow(`${command ?? [tool, ...files].join(" ")}`) : text
  const shown = kind === "tool_result" ? clip(toOneLine(text), 200) : what
  const painted = isError
    ? colors.red(removeInvisible(shown))
    : kind === "tool_result"
      ? colors.dim(removeInvisible(shown))
      : shown
  return `${paintSide(by)} ${removeInvisible(painted)}`
}
