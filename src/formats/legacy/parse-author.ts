import type { Extension } from "../entry.ts"
import { trimEndOf } from "../source-text.ts"

/** Who a label's value names: the first is the author, the rest contributed. */
export type Authors = { author: string; contributors: string[]; extensions: Extension[] }

const nameLimit = 48

/** Reads `Name (Role)`, `Name (via Copilot)`, `A, B and C`, `@name`; undefined when the value is no name at all. */
export function parseAuthors(value: string): Authors | undefined {
  return (
    parseNames(value) ??
    parseNames(value.split(/\s+[—–-]\s+|[,;]?\s+(?:requested|approved|reviewed|on behalf of)\b/i)[0] ?? "")
  )
}

/** The same where all of the value must be names, their roles and what they went through. */
export function parseNames(value: string): Authors | undefined {
  if (/^[A-Za-z][A-Za-z0-9_-]{1,40}$/.test(value) && !nobody.test(value))
    return { author: value, contributors: [], extensions: [] }
  const extensions: Extension[] = []
  const plain = stripMarkup(value).replace(/[,;]?\s+via\s+([\w .-]{2,40})$/i, (_, via: string) => {
    extensions.push({ name: "via", value: via.trim() })
    return ""
  })
  const withoutBrackets = plain.replace(/\s*\(([^()]{1,80})\)/g, (_, inside: string) => {
    const via = /^via\s+(.+)$/i.exec(inside.trim())
    extensions.push(via ? { name: "via", value: via[1] ?? "" } : { name: "role", value: inside.trim() })
    return ""
  })
  const names = withoutBrackets
    .split(/\s*(?:[,;&+/]|\band\b)\s*/i)
    .map(cleanName)
    .filter(Boolean)
  const author = names[0]
  if (author === undefined || !names.every(isName)) return undefined
  return { author, contributors: names.slice(1), extensions: mergeRoles(extensions) }
}

function stripMarkup(value: string): string {
  return value
    .replace(/<[^<>\s]+@[^<>\s]+>|[\w.+-]+@[\w-]+\.[\w.]+/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*`]|__/g, "")
    .replace(/^[^\p{L}\p{N}(]+/u, "")
    .trim()
}

function cleanName(name: string): string {
  return trimEndOf(name.replace(/^[@_]+/, ""), /[.,:;\s–—_-]/).trim()
}

function isName(name: string): boolean {
  if (name.length > nameLimit || !/\p{L}/u.test(name) || nobody.test(name)) return false
  const words = name.split(/\s+/)
  // Names are letters, and of several words all but particles begin with a capital: "Ana de Souza", not "pushed and merged".
  return (
    words.length <= 4 &&
    /^[\p{L}\p{N}\p{M} .'’_[\]-]+$/u.test(name) &&
    (words.length === 1 || words.every((word) => !/^\p{Ll}/u.test(word) || particles.test(word)))
  )
}

const nobody =
  /^(?:(?:user |team )?(?:directive|decision)s?|tbd|tba|n\/?a|none|unknown|various|multiple|everyone|all|(?:the |all |whole )*(?:team|agents?|members)|pending|unassigned|(?:self|pr|ci|done|complete|completed))$/i
const particles = /^(?:de|da|del|der|den|di|do|dos|du|la|le|van|von|zu|bin|ibn|al|el|the)$/

/** Several roles in one value become one field, so that nothing is lost and the field stands once. */
function mergeRoles(extensions: Extension[]): Extension[] {
  const merged = new Map<string, string>()
  for (const { name, value } of extensions) merged.set(name, merged.has(name) ? `${merged.get(name)}, ${value}` : value)
  return [...merged].map(([name, value]) => ({ name, value }))
}
