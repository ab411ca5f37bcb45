import { existsSync } from "node:fs"
import { join } from "node:path"
import { requireInRepository } from "../../disk/safe-paths.ts"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { DreyError, exitCode, severalIds } from "../../errors.ts"
import { idsMeant } from "../../formats/typed-id.ts"
import { generated } from "../../governance/cleared.ts"
import { currentText, type FileChange, recordChange, withStore } from "../change.ts"
import type { StoreFolder } from "../find-store.ts"
import { hashOf } from "../journal.ts"
import { changeEntry } from "./change-entry.ts"
import { loadIndex, openIndex } from "./load-index.ts"
import { audit, auditNames, isTitleGiven, type MemoryContext, settingsOf } from "./memory-context.ts"
import { fileOfRecord, type IndexRecord, pathBelow, writeIndex } from "./memory-index.ts"
import { adapterName, adapterWithoutClient, copilotUnavailable, providerFailure } from "./providers.ts"
import { auditFailure } from "./write-to-providers.ts"

/** Deletes a memory here and at every provider with a copy. False if no memory has that id. */
export async function deleteMemory(context: MemoryContext, typed: string, actor: string | undefined): Promise<boolean> {
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
  await withStore(context.folder, () => bury(context, id, actor, isExternal ? adapterName : "local"))
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
  const [id, ...others] = idsMeant(
    typed,
    wanted.map((each) => each.id),
  )
  if (id !== undefined && others.length > 0) throw severalIds(typed, [id, ...others])
  return wanted.find((each) => each.id === id)
}

/** An active rule, or an entry merged into the decisions. Its author may still withdraw a proposal in the inbox. */
export function isAccepted({ class: memoryClass, path }: IndexRecord): boolean {
  const below = pathBelow({ path })
  return !below.startsWith("decisions/inbox/") && (memoryClass === "POLICY" || below.startsWith("decisions"))
}

/** Deletes the copies of a memory at providers; a failure is audited. */
export async function deleteCopies(context: MemoryContext, record: IndexRecord): Promise<void> {
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
async function deleteExternally(context: MemoryContext, id: string): Promise<boolean> {
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
export async function bury(
  context: MemoryContext,
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
export function writeSource(folder: StoreFolder, { path, before, after }: FileChange): void {
  if (currentText(folder, path) === after) return
  writeFileAtomic(requireInRepository(folder, path), after ?? "", { replaces: hashOf(before) })
}

/** The change that removes a memory: its own file is deleted, a larger file loses the entry. */
function withoutMemory(context: MemoryContext, record: IndexRecord): FileChange | undefined {
  const { anchor, path } = record
  if (anchor !== undefined) return changeEntry(context, { path, id: anchor }, () => undefined)
  const file = fileOfRecord(context.folder, record)
  if (file === undefined || !existsSync(file)) return undefined
  const below = pathBelow(record)
  return { path: below, before: currentText(context.folder, below), after: null }
}
