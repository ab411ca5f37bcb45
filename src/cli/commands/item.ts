import { type Command, Option } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { ambiguousId, DreyError, exitCode } from "../../errors.ts"
import { removeInvisible } from "../../formats/text.ts"
import type { EditableItem, EditOutcome } from "../../team/edit/item-edit.ts"
import { writingCommand } from "../command.ts"
import { colors } from "../output.ts"
import { type CommonOptions, count, pathFromHere, print, printNotice } from "../print.ts"
import { askChoice, askYesNo } from "../prompt.ts"
import { editText } from "../text-editor.ts"
import { type TypeOptions, typeOf } from "./remember.ts"

/*
 * What the user does to one item, whatever it is: an entry, a proposal, a governed or a learned memory.
 */

type ForgetOptions = CommonOptions & { purge?: boolean; yes?: boolean; supersede?: string; reason?: string }

export function forgetCommand(): Command {
  return writingCommand(
    "forget",
    "Forget anything: a rule, decision, note, proposal or memory, by id, or by words, which lists the matches and asks. drey undo brings it back. A conversation, by its id, is forgotten for good; what was learned from it stays. With --supersede the old text stays, marked as replaced by the new one. With --purge a learned memory leaves only its id, so that it is not learned again.",
    'drey forget 4f2a\ndrey forget staging server\ndrey forget 4f2a --supersede "Indent with two spaces"',
  )
    .argument("<what...>", "ids, or words to search for")
    .option("--supersede <text>", "write this in its place and keep the old text as superseded")
    .option("--reason <reason>", "why, for the audit log")
    .option("--purge", "of a learned memory, also remove the text, the evidence and the usage record")
    .option("-y, --yes", "do not ask before forgetting what the words match")
    .action(forget)
}

async function forget(typed: string[], options: ForgetOptions): Promise<void> {
  const words = typed.flatMap((each) => each.split(/\s+/)).filter(Boolean)
  if (words.length === 0)
    throw new DreyError("Name what to forget: an id, or words", { hint: "drey list shows the ids." })
  const drey = openDrey(options)
  if (words.every((word) => word.startsWith("ep-"))) return forgetConversations(drey, words, options)
  const ids = (await idsOf(drey, words)) ?? (await chosen(drey, words, options))
  if (options.supersede !== undefined) return supersede(drey, ids, { ...options, supersede: options.supersede })
  const learned = ids.filter(isLearned)
  const purged = options.purge ? (await drey.memories.forget(learned, { purge: true })).forgotten : []
  const summaries: string[] = []
  for (const id of ids.filter((each) => !purged.includes(each))) {
    if (isLearned(id) && (await drey.team.editor.read(id))?.can.forget !== true) await drey.memories.forget([id]) // says why not
    const { version } = await editable(drey, id, "forget")
    const outcome = await drey.team.editor.forget(id, { version, reason: options.reason })
    summaries.push(await done(drey, id, outcome))
  }
  await drey.close()
  print(
    options,
    () => ({ forgotten: ids, purged: options.purge === true }),
    () =>
      [...summaries, ...(purged.length > 0 ? [`Purged ${count(purged.length, "memory", "memories")}.`] : [])].join(
        "\n",
      ) + (summaries.length > 0 ? colors.dim("\n  Undo: drey undo") : ""),
  )
}

async function forgetConversations(drey: Drey, ids: readonly string[], options: ForgetOptions): Promise<void> {
  const forgotten = await drey.search.past.forget(ids)
  await drey.close()
  print(
    options,
    () => ({ forgotten }),
    () => `Forgot what was said in ${count(forgotten.length, "conversation")}.`,
  )
}

async function supersede(
  drey: Drey,
  ids: readonly string[],
  { supersede: text, ...options }: ForgetOptions & { supersede: string },
): Promise<void> {
  const [id] = ids
  if (id === undefined || ids.length > 1) throw new DreyError("--supersede replaces one item; name one by its id")
  const { version } = await editable(drey, id, "supersede")
  const { title, markdown } = fromText(text)
  const outcome = await drey.team.editor.supersede(id, { version, title, markdown, reason: options.reason })
  const summary = await done(drey, id, outcome)
  await drey.close()
  print(
    options,
    () => ({ superseded: id, by: outcome.kind === "done" ? outcome.id : null }),
    () => `${summary}\n${colors.dim("  Undo: drey undo")}`,
  )
}

type EditOptions = CommonOptions & TypeOptions & { text?: string; title?: string; tags?: string }

export function editCommand(): Command {
  return writingCommand(
    "edit",
    "Edit an entry, a proposal or a memory: opens it in $VISUAL or $EDITOR, or takes the new text from an option. It keeps its id and its place; drey undo reverts the edit.",
    'drey edit 4f2a\ndrey edit 4f2a --text "Indent with two spaces"\ndrey edit 4f2a --note',
  )
    .argument("<id>", "the item, by id or a unique prefix")
    .option("--text <text>", "the new text, instead of opening an editor")
    .option("--title <title>", "the new title")
    .option("--tags <tags>", "the new tags, comma-separated")
    .addOption(new Option("--rule", "make it a rule").conflicts(["decision", "note"]))
    .addOption(new Option("--decision", "make it a decision").conflicts(["rule", "note"]))
    .addOption(new Option("--note", "make it a note").conflicts(["rule", "decision"]))
    .action(edit)
}

async function edit(
  typed: string,
  { text, title, tags, rule, decision, note, ...options }: EditOptions,
): Promise<void> {
  if ([text, title].some((each) => each?.trim() === ""))
    throw new DreyError("Nothing changed: the new text is empty", { hint: `To remove the item: drey forget ${typed}` })
  const drey = openDrey(options)
  const id = await requireId(drey, typed)
  const item = await editable(drey, id, "edit")
  const type = typeOf({ rule, decision, note })
  if (type !== undefined && isLearned(id)) throw new DreyError("A learned memory is neither a rule nor a decision")
  const isGiven = [text, title, tags, type].some((each) => each !== undefined)
  const change = isGiven ? changeOf(item, text, title) : editInEditor(item)
  if (change === undefined)
    return print(
      options,
      () => ({ id, changed: false }),
      () => "Nothing changed.",
    )
  const request = { version: item.version, type, ...change, ...(tags === undefined ? {} : { tags: tags.split(",") }) }
  const outcome = await drey.team.editor.edit(id, request)
  const summary = await done(drey, id, outcome)
  const after = outcome.kind === "done" && outcome.id !== null ? outcome.id : id
  const changed = outcome.kind === "done" && outcome.change !== null
  const { path, line } = (await drey.team.editor.read(after)) ?? item
  await drey.close()
  const place = path === "" ? "" : `${pathFromHere(path, drey.root)}:${line}  `
  print(
    options,
    () => ({ id: after, changed }),
    () => (changed ? `${summary}\n${colors.dim(`  ${place}Undo: drey undo`)}` : "Nothing changed."),
  )
}

/** The text of an item of one line is its title. */
function changeOf(item: EditableItem, text: string | undefined, title: string | undefined) {
  if (text === undefined) return title === undefined ? {} : { title }
  if (isLearned(item.id)) return { markdown: text }
  if (title !== undefined || item.markdown.trim() !== "")
    return { ...(title === undefined ? {} : { title }), markdown: text }
  return fromText(text)
}

/** A text of one line is a title; a longer one has its first line as the title. */
function fromText(text: string): { title: string; markdown: string } {
  const [first = "", ...rest] = text.trim().split("\n")
  return { title: first.replace(/^#+\s+/, "").trim(), markdown: rest.join("\n").trim() }
}

function editInEditor(item: EditableItem): { title?: string; markdown: string } | undefined {
  const before = isLearned(item.id) ? item.markdown : `# ${item.title}\n\n${item.markdown}`.trimEnd()
  const after = editText(before)
  if (after === before.trim()) return undefined
  return isLearned(item.id) ? { markdown: after } : fromText(after)
}

type PinOptions = CommonOptions & { off?: boolean }

export function pinCommand(): Command {
  return writingCommand(
    "pin",
    "Keep a learned memory even if it goes unused: it never expires and is never retired automatically.",
    "drey pin m:4f2a91\ndrey pin m:4f2a91 --off",
  )
    .argument("<id>", "the memory, by id or handle")
    .option("--off", "unpin it: it can expire or be retired again")
    .action(async (id: string, options: PinOptions) => {
      const drey = openDrey(options)
      await drey.memories.pin(id, options.off !== true)
      await drey.close()
      print(
        options,
        () => ({ id, pinned: options.off !== true }),
        () => (options.off ? `Unpinned ${id}.` : `Pinned ${id}.`),
      )
    })
}

function isLearned(id: string): boolean {
  return /^m-[0-9a-f]{16}$/.test(id)
}

/** The one item that a typed id or prefix means. */
async function requireId(drey: Drey, typed: string): Promise<string> {
  const { ids } = await drey.search.idsLike(typed)
  if (ids.length > 1) throw ambiguousId(typed, ids)
  const [id] = ids
  if (id !== undefined) return id
  const what = /^\[?m[-:]/.test(typed) ? `Memory ${typed} not found` : `No item has the id ${typed}`
  throw new DreyError(what, {
    hint: `Find it with: drey search ${typed}`,
    exitCode: exitCode.no,
  })
}

/** The ids that the words are, if all of them look like one and exist. */
async function idsOf(drey: Drey, words: readonly string[]): Promise<string[] | undefined> {
  if (!words.every((word) => /^\S+$/.test(word) && /\d|^[a-f]{4,}$|^\[?(?:sem|m)[-:]/.test(word))) return undefined
  const ids: string[] = []
  for (const word of words) {
    const { ids: found } = await drey.search.idsLike(word)
    if (found.length > 1) throw ambiguousId(word, found)
    const [id] = found
    if (id === undefined) return isHandle(word) ? [await requireId(drey, word)] : undefined
    ids.push(id)
  }
  return [...new Set(ids)]
}

/** Nothing else is written like this. */
function isHandle(word: string): boolean {
  return /^\[?(?:m[-:]|sem-)[0-9a-f]{2,16}\]?$/.test(word)
}

/** Items that contain all the words, as the user confirms or chooses them. */
async function chosen(drey: Drey, words: readonly string[], options: ForgetOptions): Promise<string[]> {
  const text = words.join(" ")
  const wanted = words.map((word) => word.toLowerCase())
  const { hits } = await drey.search.items({
    query: { filters: [], terms: words.map((each) => ({ text: each, negated: false })) },
    limit: 20,
  })
  const items: EditableItem[] = []
  for (const { id, sharedBy } of hits) {
    const item = sharedBy === undefined ? await drey.team.editor.read(id) : undefined // only its owner can withdraw a shared memory
    const all = `${item?.title}\n${item?.markdown}`.toLowerCase()
    if (item && wanted.every((word) => all.includes(word))) items.push(item)
  }
  const [only] = items
  if (only === undefined)
    throw new DreyError(`Nothing matches "${text}"`, {
      hint: `Search by meaning: drey search ${text}`,
      exitCode: exitCode.no,
    })
  const short = await drey.search.shortIds(items.map(({ id }) => id))
  for (const [at, { id, title }] of items.entries())
    printNotice(removeInvisible(`${String(at + 1).padStart(3)}  ${short(id)}  ${title}`))
  if (options.yes) return items.map(({ id }) => id)
  if (!process.stdin.isTTY)
    throw new DreyError(`${count(items.length, "item")} found; nothing was forgotten`, {
      hint: "Name them by id, or confirm with --yes.",
      exitCode: exitCode.no,
    })
  const picked =
    items.length === 1 ? ((await askYesNo("Forget it?")) ? [0] : []) : await askChoice("Forget which?", items.length)
  if (picked.length === 0) throw new DreyError("Nothing was forgotten", { exitCode: exitCode.no })
  return picked.flatMap((at) => items[at]?.id ?? [])
}

async function editable(drey: Drey, id: string, action: keyof EditableItem["can"]): Promise<EditableItem> {
  const item = await drey.team.editor.read(id)
  if (!item) throw new DreyError(`${id} cannot be changed: only entries and memories can`, { exitCode: exitCode.no })
  const can = item.can[action]
  if (can === true) return item
  throw new DreyError(`Not changed: ${can}`, { exitCode: exitCode.no })
}

/** The summary of a change that was made. */
async function done(drey: Drey, id: string, outcome: EditOutcome): Promise<string> {
  if (outcome.kind === "done") return isLearned(id) && outcome.id === null ? `Forgot ${id}.` : `${outcome.summary}.`
  await drey.close()
  const why = outcome.kind === "refused" ? outcome.reason : `${id} was changed in the meantime; try again`
  throw new DreyError(`Not changed: ${why}`, { exitCode: exitCode.no })
}
