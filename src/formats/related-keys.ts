import type { Related } from "./entry.ts"
import { collapseWhiteSpace } from "./source-text.ts"
import { instantOf, parseTimestamp } from "./timestamp.ts"

/** What `related:` finds an entry by. An issue is `#18`, however it is written, and `issue:#18`; a moment is one in any offset. */
export function relatedKeys(related: readonly Related[]): string[] {
  const keys = related.flatMap(({ type, identifier }) =>
    identifier.split(/,\s+/).flatMap((one) => keysOf(one).flatMap((key) => [key, `${type.toLowerCase()}:${key}`])),
  )
  return [...new Set(keys)]
}

/** The value of a `related:` filter in the spelling of `relatedKeys`. */
export function relatedKey(value: string): string {
  const typed = /^([A-Za-z]+):(?!\/\/)(.+)$/.exec(value)
  if (typed?.[1] && typed[2]) return `${typed[1].toLowerCase()}:${relatedKey(typed[2])}`
  return keysOf(value)[0] ?? ""
}

const issueAddress = /^https?:\/\/\S+\/(?:issues|pull|merge_requests)\/(\d+)\b|^[\w.-]+\/[\w.-]+#(\d+)$/

/** The identifier as a whole comes first. */
function keysOf(identifier: string): string[] {
  const plain = collapseWhiteSpace(identifier.replace(/[`<>]/g, "")).normalize("NFC").toLowerCase().replace(/^\.\//, "")
  if (/^#?\d+$/.test(plain)) return [`#${plain.replace(/^#/, "")}`]
  const moment = parseTimestamp(plain.toUpperCase())
  if (moment !== undefined) return [new Date(instantOf(moment)).toISOString()]
  const number = issueAddress.exec(plain)?.slice(1).find(Boolean)
  return number === undefined ? [plain] : [plain, `#${number}`]
}
