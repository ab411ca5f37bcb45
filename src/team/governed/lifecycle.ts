import { existsSync } from "node:fs"
import { join } from "node:path"
import { writeFileAtomic } from "../../disk/atomic-write.ts"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { ambiguousId, DreyError, exitCode } from "../../errors.ts"
import { readEntries } from "../../formats/entries.ts"
import type { Entry } from "../../formats/entry.ts"
import { normalizeEntry, writeEntry } from "../../formats/entry-writer.ts"
import { matchIds } from "../../formats/ids.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { didYouMean } from "../../formats/text.ts"
import { parseMemoryClass } from "../../governance/classify.ts"
import { alreadyStored, generated } from "../../governance/cleared.ts"
import { redactForbidden } from "../../governance/redaction.ts"
import { currentText, type FileChange, recordChange, withStore } from "../change.ts"
import { hashOf } from "../journal.ts"
import { contextOf } from "../team-entries.ts"
import { listEntryFiles, readRoster } from "../team-files.ts"
import type { StoreFolder } from "../team-folder.ts"
import { statesRule } from "../team-rules.ts"
import { audit, auditNames, type GovernedContext, isTitleGiven, settingsOf } from "./governed-context.ts"
import { auditFailure, type WriteResult, writeMemory } from "./governed-write.ts"
import { loadIndex, openIndex } from "./load-index.ts"
import { markSuperseded } from "./memory-file.ts"
import { fileOfRecord, type IndexRecord, pathBelow, writeIndex } from "./memory-index.ts"
import { readMemoryOf } from "./memory-reader.ts"
import { adapterName, adapterWithoutClient, copilotUnavailable, providerFailure } from "./providers.ts"

/** Writes a memory again under another class, with links both ways; author, time and metadata are kept. */
export async function promoteMemory(
  context: GovernedContext,
  typed: string,
  target: string,
  actor: string | undefined,
): Promise<WriteResult> {
  const targetClass = parseMemoryClass(target)
  if (targetClass === "TRANSIENT" || targetClass === "FORBIDDEN") {
    throw new DreyError(`A memory cannot be promoted to ${targetClass}`, {
      hint: "Use LOCAL, DECISION, POLICY or COPILOT_MEMORY.",
    })
  }
  const { records } = loadIndex(context.store, context.folder, context.now())
  const record = findRecord(typed, records, ({ status }) => status === "active")
  if (!record) throw notFound(typed, records)
  const { id } = record
  const memory = readMemoryOf(context, record)
  if (!memory) throw new DreyError(`Memory '${id}' content not found`, { exitCode: exitCode.no })
  if (context.agent !== undefined && isAccepted(record) && targetClass !== "POLICY")
    throw new DreyError("Not promoted: only the user can replace an accepted memory", {
      hint: `Ask the user to run: drey memory promote ${record.id} --class ${targetClass}`,
      exitCode: exitCode.no,
    })
  const { loadGuidance: _, ...metadata } = memory.metadata
  const titleGiven = isTitleGiven(context.folder, record)
  const request = {
    content: memory.content,
    title: memory.title,
    titleGiven,
    author: memory.author === "unknown" ? undefined : memory.author,
    class: targetClass,
    approved: context.agent === undefined, // promoting it explicitly counts as the user's approval
    metadata,
  }
  const isRule = targetClass === "POLICY" || statesRule(memory.title) || statesRule(memory.content)
  // An agent can only propose a rule: the original memory is unchanged until the user accepts it.
  if (context.agent !== undefined && isRule) return writeMemory(context, request)
  const result = await writeMemory(context, request, { of: id, createdAt: record.createdAt })
  if (!result.stored) return result
  const { id: successor } = result
  await withStore(context.folder, () => supersede(context, record, successor, actor, targetClass, titleGiven))
  await deleteCopies(context, record)
  return result
}

export function notFound(id: string, known: readonly { id: string }[]): DreyError {
  const meant = didYouMean(
    id,
    known.map((each) => each.id),
  )
  return new DreyError(`Memory '${redactForbidden(id)}' not found`, {
    hint: meant === undefined ? 'Run "drey memory list" for the ids.' : `Did you mean ${meant}?`,
    exitCode: exitCode.no,
  })
}

function supersede(
  context: GovernedContext,
  old: IndexRecord,
  successor: string,
  actor: string | undefined,
  targetClass: string,
  titleGiven: boolean,
): void {
  const { folder, store } = context
  const now = context.now().toISOString()
  const source = marked(context, old, successor) // read first: opening the index would complete the promotion itself
  const records = openIndex(store, folder, context.now(), context.warn)
  const links = { status: "superseded", loadGuidance: "ARCHIVE", supersededBy: successor, updatedAt: now } as const
  const superseded: IndexRecord = { ...old, ...links }
  writeIndex(
    folder,
    records.map((each) => (each.id === old.id ? { ...each, ...links } : each)),
  )
  if (source && source.after !== null) writeSource(folder, source)
  const young = records.find(({ id }) => id === successor)
  const changes = [
    { id: old.id, before: old, after: superseded },
    ...(young ? [{ id: successor, before: null, after: young }] : []),
  ]
  const files = [...(young ? ownFile(context, young) : []), ...(source ? [source] : [])]
  recordChange(folder, "memory promote", { files, index: { existed: true, records: changes } }, context.now())
  audit(context, settingsOf(context), {
    action: "promote",
    id: old.id,
    class: targetClass,
    title: auditNames({ title: old.title, path: old.path, titleGiven }, "Promoted governed memory").title,
    reason: `Promoted to ${targetClass}`,
    actor,
  })
}

/** The change that links the old memory's file to its successor. */
function marked(context: GovernedContext, old: IndexRecord, successor: string): FileChange | undefined {
  if (old.anchor !== undefined) {
    return changeEntry(context, { path: old.path, id: old.anchor }, (entry) => ({
      ...entry,
      supersededBy: [...entry.supersededBy, successor],
    }))
  }
  const file = fileOfRecord(context.folder, old)
  const path = pathBelow(old)
  const before = file === undefined ? null : currentText(context.folder, path)
  return before === null ? undefined : { path, before, after: markSuperseded(before, successor) }
}

/** The successor's new file; none if only a provider has it. */
function ownFile({ folder }: GovernedContext, record: IndexRecord): FileChange[] {
  if (fileOfRecord(folder, record) === undefined) return []
  const path = pathBelow(record)
  return [{ path, before: null, after: alreadyStored(currentText(folder, path) ?? "") }]
}

/** Deletes a memory here and at every provider with a copy. False if no memory has that id. */
export async function deleteMemory(
  context: GovernedContext,
  typed: string,
  actor: string | undefined,
): Promise<boolean> {
  const { records } = loadIndex(context.store, context.folder, context.now())
  const record = findRecord(typed, records, ({ status }) => status !== "deleted")
  if (!record) return false
  const { id } = record
  if (context.agent !== undefined && isAccepted(record))
    throw new DreyError("Not deleted: only the user can delete an accepted memory", {
      hint: `Ask the user to run: drey memory delete ${record.id}`,
      exitCode: exitCode.no,
    })
  const isExternal = record.class === "COPILOT_MEMORY" && fileOfRecord(context.folder, record) === undefined
  if (isExternal && !(await deleteExternally(context, id))) return false
  await withStore(context.folder, () => writeTombstone(context, id, actor, isExternal ? adapterName : "local"))
  await deleteCopies(context, record)
  return true
}

/** Finds a record by its id or a unique prefix of it. */
export function findRecord(
  typed: string,
  records: readonly IndexRecord[],
  isWanted: (record: IndexRecord) => boolean,
): IndexRecord | undefined {
  const wanted = records.filter(isWanted)
  const [id, ...others] = matchIds(
    typed,
    wanted.map((each) => each.id),
  )
  if (id !== undefined && others.length > 0) throw ambiguousId(typed, [id, ...others])
  return wanted.find((each) => each.id === id)
}

/** An active rule, or an entry merged into the decisions. Its author may still withdraw a proposal in the inbox. */
function isAccepted({ class: memoryClass, path }: IndexRecord): boolean {
  const below = pathBelow({ path })
  return !below.startsWith("decisions/inbox/") && (memoryClass === "POLICY" || below.startsWith("decisions"))
}

/** Deletes the copies of a memory at providers; a failure is audited. */
export async function deleteCopies(context: GovernedContext, record: IndexRecord): Promise<void> {
  for (const provider of context.providers) {
    const copy = record.copies?.[provider.id]
    if (copy === undefined) continue
    try {
      await provider.delete(copy)
    } catch (error) {
      const reason = providerFailure(provider.name, "delete", error)
      const config = settingsOf(context)
      await withStore(context.folder, () => auditFailure(context, config, record.class, reason, provider.id))
    }
  }
}

/** A memory that only a provider has is deleted there first; if that fails, nothing is deleted. */
async function deleteExternally(context: GovernedContext, id: string): Promise<boolean> {
  const config = settingsOf(context)
  const refused = (message: string) => new DreyError(message, { exitCode: exitCode.no })
  if (config.defaultProvider === "copilot") throw refused(copilotUnavailable)
  if (!config.adapter.enabled) throw refused("COPILOT_MEMORY delete requires hostInjectedCopilotAdapter to be enabled")
  if (!context.client) throw refused(adapterWithoutClient)
  try {
    return await context.client.delete(id)
  } catch (error) {
    const reason = providerFailure(adapterName, "delete", error)
    await withStore(context.folder, () => auditFailure(context, config, "COPILOT_MEMORY", reason, adapterName))
    throw refused(reason)
  }
}

/**
 * Writes tombstone, index and source in this order, so that a crash in between can be recovered. Call it under the team folder's lock.
 * Returns the id of the change if it can be undone.
 */
export async function writeTombstone(
  context: GovernedContext,
  id: string,
  actor: string | undefined,
  provider: string,
): Promise<string | undefined> {
  const { folder, store } = context
  const deletedAt = context.now().toISOString()
  const records = openIndex(store, folder, context.now(), context.warn)
  const record = records.find((each) => each.id === id)
  if (!record || record.status === "deleted") return undefined
  const titleGiven = isTitleGiven(folder, record)
  const { path, status: previousStatus, supersedes, supersededBy } = record
  const tombstone = { id, deletedAt, path, previousStatus, supersedes, supersededBy, loadGuidance: "[ARCHIVE]" }
  const tombstonePath = `memory/tombstones/${encodeURIComponent(id)}.json`
  const tombstoneText = generated(`${JSON.stringify(tombstone, null, 2)}\n`)
  const files = [{ path: tombstonePath, before: currentText(folder, tombstonePath), after: tombstoneText }]
  const source = withoutMemory(context, record)
  writeFileAtomic(requireInRepository(folder, tombstonePath), tombstoneText)
  const deleted: IndexRecord = {
    ...record,
    status: "deleted",
    loadGuidance: "ARCHIVE",
    updatedAt: deletedAt,
    deletedAt,
  }
  writeIndex(
    folder,
    records.map((each) => (each.id === id ? deleted : each)),
  )
  if (source && source.after !== null) writeSource(folder, source)
  else if (source) await context.removeFile(join(folder.path, source.path))
  const index = { existed: true, records: [{ id, before: record, after: deleted }] }
  const done = { files: source ? [...files, source] : files, index }
  const change = provider === "local" ? recordChange(folder, "memory delete", done, context.now()) : undefined
  audit(context, settingsOf(context), {
    action: "delete",
    id,
    class: record.class,
    ...auditNames({ title: record.title, path, titleGiven }, "Deleted governed memory"),
    reason: "Deleted governed memory and wrote tombstone",
    actor,
    provider,
  })
  return change
}

/** Writes the changed source file of an entry, unless opening the index already did. */
function writeSource(folder: StoreFolder, { path, before, after }: FileChange): void {
  if (currentText(folder, path) === after) return
  writeFileAtomic(requireInRepository(folder, path), after ?? "", { replaces: hashOf(before) })
}

/** The change that removes a memory: its own file is deleted, a larger file loses the entry. */
function withoutMemory(context: GovernedContext, record: IndexRecord): FileChange | undefined {
  const { anchor, path } = record
  if (anchor !== undefined) return changeEntry(context, { path, id: anchor }, () => undefined)
  const file = fileOfRecord(context.folder, record)
  if (file === undefined || !existsSync(file)) return undefined
  const below = pathBelow(record)
  return { path: below, before: currentText(context.folder, below), after: null }
}

/**
 * Plans the rewrite, or with `undefined` the removal, of one entry in a larger file; everything around it stays byte for
 * byte. Nothing is written. Undefined if the entry does not exist.
 */
function changeEntry(
  context: GovernedContext,
  place: { path: string; id: string },
  change: (entry: Entry) => Entry | undefined,
): FileChange | undefined {
  const { store, folder, now } = context
  const file = listEntryFiles(folder).find(({ path }) => path === place.path)
  const below = place.path.slice(folder.name.length + 1)
  const before = currentText(folder, below)
  if (!file || before === null) return undefined
  const { segments } = readEntries(before, contextOf(file, readRoster(store), now()))
  const lineEnd = dominantLineEnd(before)
  const pieces = segments.map(({ text, entry }) => {
    if (entry?.id !== place.id) return text
    const changed = change({ ...entry.entry, id: entry.id })
    if (changed === undefined) return ""
    const gap = text.slice(text.trimEnd().length)
    return `${writeEntry(normalizeEntry(changed), { lineEnd }).trimEnd()}${gap || lineEnd}`
  })
  const after = alreadyStored(pieces.join(""))
  return after === before ? undefined : { path: below, before, after }
}
