import { appendAudit } from "../../governance/audit.ts"
import type { AuditRecord } from "../../governance/audit-chain.ts"
import type { StoreFolder } from "../find-store.ts"
import { classOfType } from "../memory/load-index.ts"
import { readMemoryConfig } from "../memory/memory-config.ts"
import { auditPlaceOf, auditTitle } from "../memory/memory-context.ts"
import type { Work } from "../tidy/work.ts"
import type { Placement } from "./place-proposals.ts"
import type { Quarantined } from "./quarantine.ts"
import type { Proposal } from "./read-inbox.ts"

/** Plans the audit line of a merged entry. It names the entry's new file, not its inbox file. */
export function noteMerged(work: Work, { entry }: Proposal, placement: Placement): void {
  const path = (placement.kind === "copy" ? placement.path : undefined) ?? "decisions.md"
  const reason = placement.kind === "copy" ? "Merged from the inbox: the team had it already" : "Merged from the inbox"
  const beginsAlike = entry.summary.startsWith(entry.title) || entry.title.startsWith(entry.summary)
  work.audit.push({
    timestamp: work.now.toISOString(),
    action: "write",
    id: placement.id,
    class: classOfType[entry.type],
    // A title derived from the content counts as content.
    title: auditTitle(beginsAlike ? undefined : entry.title, "Merged governed memory"),
    path: `${work.draft.folder.name}/${path}`,
    reason,
    actor: auditTitle(entry.author, "unknown"),
    provider: "local",
  })
}

export function noteQuarantined(work: Work, { to, lines }: Quarantined): void {
  work.audit.push({
    timestamp: work.now.toISOString(),
    action: "reject",
    class: "FORBIDDEN",
    title: "Rejected governed memory",
    path: `${work.draft.folder.name}/${to}`,
    reason: `Rejected as forbidden memory: ${lines[0]?.reason ?? "forbidden content"}`,
    provider: "local",
  })
}

/** Writes the planned audit lines. Call it under the team folder's lock, after the change was made. */
export function writeAudit(folder: StoreFolder, records: readonly AuditRecord[]): void {
  if (records.length === 0) return
  const place = auditPlaceOf(folder, readMemoryConfig(folder).config)
  for (const record of records) appendAudit(place, record)
}
