import { existsSync } from "node:fs"
import { readTextFile } from "../../disk/read-text-file.ts"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { parseMemoryClass } from "../../governance/classify.ts"
import { withStore } from "../change.ts"
import { changeEntry } from "./change-entry.ts"
import { deleteCopies } from "./delete-memory.ts"
import { markSuperseded } from "./entry-file.ts"
import { loadIndex, openIndex } from "./load-index.ts"
import { audit, auditNames, type MemoryContext, settingsOf } from "./memory-context.ts"
import { fileOfRecord, type IndexRecord, writeIndex } from "./memory-index.ts"
import { readMemoryOf } from "./read-memory.ts"
import { writeMemory } from "./write-memory.ts"
import type { WriteResult } from "./write-request.ts"

/** Writes a memory again under another class, with links both ways; author, time and metadata stay those of the original. */
export async function promoteMemory(
  context: MemoryContext,
  id: string,
  target: string,
  actor: string | undefined,
): Promise<WriteResult> {
  const targetClass = parseMemoryClass(target)
  if (targetClass === "TRANSIENT" || targetClass === "FORBIDDEN") {
    throw new DreyError(`A memory cannot be promoted to ${targetClass}`, {
      hint: "Name LOCAL, DECISION, POLICY or COPILOT_MEMORY.",
    })
  }
  const { records } = loadIndex(context.store, context.folder, context.now())
  const record = records.find((each) => each.id === id && each.status === "active")
  if (!record) throw notFound(id)
  const memory = readMemoryOf(context, record)
  if (!memory) throw new DreyError(`Memory '${id}' content not found`, { exitCode: exitCode.no })
  const { loadGuidance: _, ...metadata } = memory.metadata
  const result = await writeMemory(
    context,
    {
      content: memory.content,
      title: memory.title,
      author: memory.author === "unknown" ? undefined : memory.author,
      class: targetClass,
      approved: true, // promoting it by name is the person's word
      metadata,
    },
    { of: id, createdAt: record.createdAt },
  )
  if (!result.stored) return result
  const { id: successor } = result
  await withStore(context.folder, () => supersede(context, record, successor, actor, targetClass, memory.content))
  await deleteCopies(context, record)
  return result
}

export function notFound(id: string): DreyError {
  return new DreyError(`Memory '${id}' not found`, {
    hint: 'See "drey memory list" for the ids.',
    exitCode: exitCode.no,
  })
}

function supersede(
  context: MemoryContext,
  old: IndexRecord,
  successor: string,
  actor: string | undefined,
  targetClass: string,
  content: string,
): void {
  const { folder, store } = context
  const now = context.now().toISOString()
  const records = openIndex(store, folder, context.now(), context.warn)
  const links: Partial<IndexRecord> = { status: "superseded", loadGuidance: "ARCHIVE", supersededBy: successor }
  writeIndex(
    folder,
    records.map((each) => (each.id === old.id ? { ...each, ...links, updatedAt: now } : each)),
  )
  const path = fileOfRecord(folder, old)
  if (old.anchor !== undefined) {
    changeEntry(context, "memory promote", { path: old.path, id: old.anchor }, (entry) => ({
      ...entry,
      supersededBy: [...entry.supersededBy, successor],
    }))
  } else if (path !== undefined && existsSync(path)) {
    writeFileAtomic(path, markSuperseded(readTextFile(path).text, successor))
  }
  audit(context, settingsOf(context), {
    action: "promote",
    id: old.id,
    class: targetClass,
    title: auditNames({ title: old.title, path: old.path, content }, "Promoted governed memory").title,
    reason: `Promoted to ${targetClass}`,
    actor,
  })
}
