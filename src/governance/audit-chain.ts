import { sha256 } from "../disk/sha256.ts"

/** The place of a line in its chain. Each clone of a repository has a chain of its own, so that a merge breaks none. */
export type ChainLink = { writer: string; seq: number; prev: string; hash: string }

/** One line of the audit: what happened, never the content it happened to. */
export type AuditRecord = {
  timestamp: string
  action: AuditAction
  id?: string
  class?: string
  title?: string
  path?: string
  reason?: string
  actor?: string
  provider?: string
}

export type AuditAction =
  | "classify"
  | "write"
  | "reject"
  | "promote"
  | "delete"
  | "search"
  | "read"
  | "configure"
  | "provider-error"

/** The text of a record as the next line of a chain. The hash covers all of the line before it, the previous hash included. */
export function chainLine(record: AuditRecord, link: Omit<ChainLink, "hash">): { text: string; hash: string } {
  const open = JSON.stringify({ ...record, ...link }).slice(0, -1)
  const hash = sha256(open)
  return { text: `${open},"hash":"${hash}"}`, hash }
}

export type AuditLine =
  | { kind: "chained"; record: AuditRecord; link: ChainLink; authentic: boolean }
  | { kind: "foreign"; record: AuditRecord } // another tool wrote it, which knows no chains
  | { kind: "damaged" }

export function readAuditLine(text: string): AuditLine {
  const value = parseObject(text)
  if (value === undefined) return { kind: "damaged" }
  const { writer, seq, prev, hash, ...record } = value
  const known = record as AuditRecord
  if (hash === undefined && writer === undefined) return { kind: "foreign", record: known }
  if (typeof writer !== "string" || typeof seq !== "number" || typeof prev !== "string" || typeof hash !== "string") {
    return { kind: "damaged" }
  }
  const end = text.lastIndexOf(',"hash":"')
  const authentic = text === `${text.slice(0, end)},"hash":"${hash}"}` && sha256(text.slice(0, end)) === hash
  return { kind: "chained", record: known, link: { writer, seq, prev, hash }, authentic }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // a line that was cut off or edited by hand: the caller counts it as damaged
  }
  return undefined
}
