import { DreyError, exitCode } from "../../errors.ts"
import { didYouMean } from "../../formats/did-you-mean.ts"
import { parseMemoryClass } from "../../governance/classify.ts"
import { alreadyStored } from "../../governance/cleared.ts"
import { withhold } from "../../governance/withhold.ts"
import { statesRule } from "../agent-rules.ts"
import { currentText, type FileChange, recordChange, withStore } from "../change.ts"
import { changeEntry } from "./change-entry.ts"
import { deleteCopies, findRecord, isAccepted, writeSource } from "./delete-memory.ts"
import { markSuperseded } from "./entry-file.ts"
import { loadIndex, openIndex } from "./load-index.ts"
import { audit, auditNames, isTitleGiven, type MemoryContext, settingsOf } from "./memory-context.ts"
import { fileOfRecord, type IndexRecord, pathBelow, writeIndex } from "./memory-index.ts"
import { readMemoryOf } from "./read-memory.ts"
import { writeMemory } from "./write-memory.ts"
import type { WriteResult } from "./write-request.ts"

/** Writes a memory again under another class, with links both ways; author, time and metadata are kept. */
export async function promoteMemory(
  context: MemoryContext,
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
  return new DreyError(`Memory '${withhold(id)}' not found`, {
    hint: meant === undefined ? 'Run "drey memory list" for the ids.' : `Did you mean ${meant}?`,
    exitCode: exitCode.no,
  })
}

function supersede(
  context: MemoryContext,
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
function marked(context: MemoryContext, old: IndexRecord, successor: string): FileChange | undefined {
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
function ownFile({ folder }: MemoryContext, record: IndexRecord): FileChange[] {
  if (fileOfRecord(folder, record) === undefined) return []
  const path = pathBelow(record)
  return [{ path, before: null, after: alreadyStored(currentText(folder, path) ?? "") }]
}
