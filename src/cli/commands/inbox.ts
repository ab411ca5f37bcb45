import type { Command } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { ambiguousId, DreyError, exitCode } from "../../errors.ts"
import { matchIds } from "../../formats/ids.ts"
import { removeInvisible } from "../../formats/text.ts"
import { dayOf } from "../../formats/timestamp.ts"
import type { EditOutcome } from "../../team/edit/item-edit.ts"
import type { InboxContent, InboxProposal } from "../../team/inbox/contents.ts"
import { command, writingCommand } from "../command.ts"
import { parseCount, parseSince } from "../option-values.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, listLine, pathFromHere, print, printNotice, typeName } from "../print.ts"
import { askKey, askLine } from "../prompt.ts"

/** Lists what waits for the user; its subcommands decide, with the same review flow as the app. */
export function inboxCommand(): Command {
  const review = command(
    "inbox",
    "Review proposals before they count: what agents, imports and learning propose to the team. Lists them, or with accept, refuse, edit and merge decides one, several or all. With --review, goes through them with one key each.",
    'drey inbox\ndrey inbox accept 4f2a\ndrey inbox refuse 4f2a --reason "Only true for the old API"',
  ).option("--review", "go through them one by one, with one key each")
  const inbox = limited(review)
    .action((options: InboxListOptions & { review?: boolean }) => (options.review ? reviewAll(options) : list(options)))
    .enablePositionalOptions() // options after a subcommand's name belong to the subcommand
  inbox.addCommand(limited(command("list", "List the proposals, newest first.", "drey inbox list -n 5")).action(list))
  inbox.addCommand(
    command(
      "show",
      "Show one proposal: its text, what it is similar to, and what accepting it changes.",
      "drey inbox show 4f2a",
    )
      .argument("<id>", "the proposal, by id or a unique prefix")
      .action(show),
  )
  inbox.addCommand(
    writingCommand(
      "accept",
      "Accept proposals: they become active decisions.",
      "drey inbox accept 4f2a\ndrey inbox accept --all",
    )
      .argument("[ids...]", "proposals, by id or a unique prefix")
      .option("--all", "all of them")
      .action(accept),
  )
  inbox.addCommand(
    writingCommand(
      "refuse",
      "Refuse proposals: they are moved away and not proposed again.",
      'drey inbox refuse 4f2a --reason "We dropped this in March"',
    )
      .argument("[ids...]", "proposals, by id or a unique prefix")
      .option("--all", "all of them")
      .option("--reason <reason>", "why, so that its author can learn from it", "refused by the user")
      .action(refuse),
  )
  inbox.addCommand(
    writingCommand(
      "edit",
      "Accept a proposal with another title or text.",
      'drey inbox edit 4f2a --title "Indent with two spaces"',
    )
      .argument("<id>", "the proposal, by id or a unique prefix")
      .option("--title <title>", "the new title")
      .option("--text <text>", "the new text")
      .action(reword),
  )
  inbox.addCommand(
    writingCommand(
      "merge",
      "Accept a proposal into an active entry: add its text there, or replace the entry with it.",
      "drey inbox merge 4f2a --into 9c01\ndrey inbox merge 4f2a --into 9c01 --supersede",
    )
      .argument("<id>", "the proposal, by id or a unique prefix")
      .requiredOption("--into <entry>", "the active entry, by id or a unique prefix")
      .option("--supersede", "replace the entry instead of adding to it")
      .action(mergeInto),
  )
  return inbox
}

type InboxListOptions = CommonOptions & { limit?: string; since?: string }

function limited(listing: Command): Command {
  return listing
    .option("-n, --limit <number>", "list only the newest")
    .option("--since <time>", "list only those since this date or time, or within the last 24h, 7d, 2w or 3m")
}

async function list({ limit, since, ...options }: InboxListOptions): Promise<void> {
  const most = limit === undefined ? undefined : parseCount(limit, "proposals", 1, 1_000_000)
  const from = since === undefined ? 0 : parseSince(since).getTime()
  const drey = openDrey(options)
  const all = await drey.team.inbox.list()
  const dateOf = ({ entry }: InboxProposal) => Date.parse(entry.timestamp)
  const proposals = all.proposals
    .filter((proposal) => dateOf(proposal) >= from)
    .sort((one, other) => dateOf(other) - dateOf(one))
    .slice(0, most)
  const content = { ...all, proposals }
  const short = await drey.search.shortIds(options.json ? [] : content.proposals.map(({ id }) => id))
  await drey.close()
  print(
    options,
    () => ({ proposals: content.proposals.map(toDocument), broken: content.broken }),
    () => listText(content, short, drey.root),
  )
  for (const { path, problem } of content.broken) printNotice(`drey: ${path} cannot be accepted: ${problem}`)
}

function toDocument({ id, key, entry, from, path, line, markdown, against }: InboxProposal): object {
  const { type, title, author, timestamp, review } = entry
  const near = against.map(({ entry: other, likeness, relation }) => ({ id: other.id, likeness, relation }))
  return {
    id,
    key,
    type,
    title,
    author,
    date: timestamp,
    from,
    path,
    line,
    text: markdown,
    against: near,
    ...(review === undefined ? {} : { review }),
  }
}

function listText({ proposals }: InboxContent, short: (id: string) => string, root: string): string {
  if (proposals.length === 0) return "Nothing to review."
  const lines = proposals.map(({ id, entry, path, line }) => {
    const lead = `${colors.cyan(short(id))}  ${colors.green(typeName(entry.type).padEnd(8))} `
    return listLine(lead, entry.title, `${entry.author}  ${pathFromHere(path, root)}:${line}`)
  })
  const [first] = proposals
  return [
    `${count(proposals.length, "proposal")} to review:`,
    ...lines,
    "",
    `Review with one key each: drey inbox --review. One alone: drey inbox show ${short(first?.id ?? "")}, then accept or refuse.`,
  ].join("\n")
}

async function show(typed: string, options: CommonOptions): Promise<void> {
  const drey = openDrey(options)
  const [proposal] = await proposalsNamed(drey, [typed], {})
  await drey.close()
  if (!proposal) return
  print(
    options,
    () => ({ ...toDocument(proposal), diff: proposal.diff, diagnostics: proposal.diagnostics }),
    () => proposalText(proposal, drey.root),
  )
}

function proposalText(
  { id, entry, from, path, line, markdown, against, diff, diagnostics }: InboxProposal,
  root: string,
): string {
  const origins = { agent: "an agent", learned: "learned from work", import: "imported", person: "a person" }
  const field = (name: string, value: string) => `${colors.dim(name.padEnd(11))}${removeInvisible(value)}`
  return [
    `${colors.bold(removeInvisible(entry.title))} ${colors.dim(`[${id}]`)}`,
    field(
      "proposed",
      `${typeName(entry.type)} by ${entry.author}, ${dayOf(Date.parse(entry.timestamp))} (${origins[from]})`,
    ),
    field("file", `${pathFromHere(path, root)}:${line}`),
    ...(entry.review === undefined ? [] : [field("review", entry.review)]),
    ...against.map(({ entry: other, likeness, relation }) =>
      field(
        relation === "supersedes" ? "replaces" : "similar to",
        `${other.entry.title} [${other.id}] (${Math.round(likeness * 100)} %)`,
      ),
    ),
    ...diagnostics.map(({ message, severity }) => field(severity === "info" ? "note" : "problem", message)),
    ...(markdown.trim() === "" ? [] : ["", removeInvisible(markdown.trim())]),
    "",
    colors.dim(`Accepting it changes ${diff.map(({ path: changed }) => changed).join(", ")}.`),
  ].join("\n")
}

type SeveralOptions = CommonOptions & { all?: boolean }

async function accept(ids: string[], options: SeveralOptions): Promise<void> {
  await decide(ids, options, (drey, { key, version }) => drey.team.inbox.accept(key, { version }))
}

async function refuse(ids: string[], options: SeveralOptions & { reason: string }): Promise<void> {
  await decide(ids, options, (drey, { key, version }) =>
    drey.team.inbox.refuse(key, { version, reason: options.reason }),
  )
}

async function reword(
  id: string,
  { title, text, ...options }: CommonOptions & { title?: string; text?: string },
): Promise<void> {
  if (title === undefined && text === undefined)
    throw new DreyError("Nothing to change", { hint: "Pass --title, --text, or both." })
  await decide([id], options, (drey, { key, version }) =>
    drey.team.inbox.accept(key, { version, title, markdown: text }),
  )
}

async function mergeInto(id: string, options: CommonOptions & { into: string; supersede?: boolean }): Promise<void> {
  await decide([id], options, async (drey, { key, version }) => {
    const { ids } = await drey.search.idsLike(options.into)
    if (ids.length > 1) throw ambiguousId(options.into, ids)
    const [into = options.into] = ids
    return drey.team.inbox.mergeInto(key, { version, into, how: options.supersede ? "supersede" : "append" })
  })
}

type ProposalDecision = (drey: Drey, proposal: InboxProposal) => Promise<EditOutcome>

/** Decides each of the named proposals; one that is refused or has changed does not stop the others. */
async function decide(ids: string[], options: SeveralOptions, act: ProposalDecision): Promise<void> {
  const drey = openDrey(options)
  const results: { id: string; outcome: EditOutcome }[] = []
  for (const { key, id } of await proposalsNamed(drey, ids, options)) {
    const proposal = (await drey.team.inbox.list()).proposals.find((each) => each.key === key || each.id === id) // the others may have moved
    results.push({ id, outcome: proposal ? await act(drey, proposal) : { kind: "changed" } })
  }
  await drey.close()
  const failed = results.filter(({ outcome }) => outcome.kind !== "done")
  print(
    options,
    () => ({ results: results.map(({ id, outcome }) => ({ id, ...outcome })) }),
    () => resultText(results),
  )
  for (const { id, outcome } of failed) printNotice(`drey: ${id} was not changed: ${whyNot(outcome)}`)
  if (failed.length > 0) process.exitCode = exitCode.no
}

function resultText(results: readonly { outcome: EditOutcome }[]): string {
  const lines = results.flatMap(({ outcome }) => (outcome.kind === "done" ? [`${outcome.summary}.`] : []))
  return lines.length === 0 ? "" : [...lines, colors.dim("  Undo: drey undo")].join("\n")
}

function whyNot(outcome: EditOutcome): string {
  return outcome.kind === "refused" ? outcome.reason : "it was changed or removed in the meantime"
}

async function proposalsNamed(
  drey: Drey,
  typed: string[],
  { all = false }: { all?: boolean },
): Promise<InboxProposal[]> {
  const { proposals } = await drey.team.inbox.list()
  if (all && typed.length > 0) throw new DreyError("Name proposals, or pass --all, not both")
  if (all) return proposals
  if (typed.length === 0) throw new DreyError("Name a proposal, or pass --all", { hint: "drey inbox lists them." })
  return typed.map((each) => {
    const ids = matchIds(each, [...proposals.map(({ id }) => id), ...proposals.map(({ key }) => key)])
    if (ids.length > 1) throw ambiguousId(each, ids)
    const found = proposals.find(({ id, key }) => id === ids[0] || key === ids[0])
    if (found) return found
    throw new DreyError(`No proposal has the id ${each}`, { hint: "drey inbox lists them.", exitCode: exitCode.no })
  })
}

/** One key each, as in the app: nothing is decided by leaving. */
async function reviewAll(options: CommonOptions): Promise<void> {
  if (!process.stdin.isTTY || options.json)
    throw new DreyError("--review needs a terminal", { hint: "Use drey inbox accept, refuse, edit or merge." })
  const drey = openDrey(options)
  const { proposals } = await drey.team.inbox.list()
  if (proposals.length === 0) printNotice("Nothing to review.")
  for (const [at, { id }] of proposals.entries()) {
    const proposal = (await drey.team.inbox.list()).proposals.find((each) => each.id === id)
    if (!proposal) continue // an earlier decision covered it
    printNotice(`\n${colors.dim(`${at + 1} of ${proposals.length}`)}  ${proposalText(proposal, drey.root)}`)
    const outcome = await decideByKey(drey, proposal)
    if (outcome === "quit") break
    if (outcome !== "skip")
      printNotice(outcome.kind === "done" ? `${outcome.summary}.` : `Not changed: ${whyNot(outcome)}`)
  }
  await drey.close()
}

async function decideByKey(
  drey: Drey,
  { key, version, entry, against }: InboxProposal,
): Promise<EditOutcome | "skip" | "quit"> {
  const [near] = against
  const into = near ? ", m merge into the similar entry" : ""
  const pressed = await askKey(`a accept, r refuse, e edit the title${into}, s skip, q quit`, near ? "aremsq" : "aresq")
  if (pressed === "a") return drey.team.inbox.accept(key, { version })
  if (pressed === "r")
    return drey.team.inbox.refuse(key, { version, reason: (await askLine("Why? ")) || "refused by the user" })
  if (pressed === "e") return drey.team.inbox.accept(key, { version, title: (await askLine("Title: ")) || entry.title })
  if (pressed === "m" && near) return drey.team.inbox.mergeInto(key, { version, into: near.entry.id, how: "append" })
  return pressed === "s" ? "skip" : "quit"
}
