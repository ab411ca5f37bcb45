import type { KnownMemory } from "../../../memories/writer.ts"
import { contentWords } from "../sentences.ts"

/** The known memory that a sentence ends: it permits what was forbidden, or says that a tool is no longer used. */
export function findEnded(sentence: string, known: readonly KnownMemory[]): KnownMemory | undefined {
  const plain = sentence.replace(/[‘’]/g, "'")
  const action = permission.exec(plain)?.[1]
  if (action !== undefined) {
    const words = contentWords(action)
    return known.find(({ text }) => forbids.test(text) && shares(words, contentWords(text)))
  }
  for (const form of endings) {
    const thing = form.exec(plain)?.[1]?.toLowerCase()
    const old = thing && known.find(({ text }) => recommends(text, thing))
    if (old) return old
  }
  return undefined
}

const permission =
  /\b(?:(?:it's|it is|is) (?:now )?(?:fine|ok|okay|allowed|alright) to|you (?:can|may) now|you (?:can|may)(?= .*\b(?:from now on|again|without asking)\b)) (.+?)(?: (?:from now on|again|now))?[.!]?$/i

const forbids = /\b(?:never|don't|do not|must not|no|avoid|without asking|ask)\b/i

/** "Moved to bun" alone does not say what was left; the memory's key does. */
const endings = [
  /\b(?:switch|mov|migrat|chang)ed (?:over )?from ([\w.-]+)/i,
  /\b([\w.-]+) (?:is|are) (?:gone|history|dead|deprecated|(?:not|no longer) (?:used|supported|needed)(?: any ?more)?)\b/i,
  /\b(?:no longer (?:use|need|support)|(?:don't|do not) (?:use|need|support)(?= \S+ any ?more)|got rid of|dropped|removed|replaced) ([\w.-]+)/i,
]

function recommends(text: string, thing: string): boolean {
  const at = text.toLowerCase().search(new RegExp(`(?<![\\w.-])${thing.replace(/[.\\-]/g, "\\$&")}(?![\\w-])`))
  return at >= 0 && !/\b(?:not|never|no|don't|instead of|rather than|without)[^,;.]*$/i.test(text.slice(0, at))
}

/** Two thirds of the action's words: "push to main" is in "Never push to main". */
function shares(action: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...action].filter((word) => other.has(word)).length
  return action.size > 0 && common >= (action.size * 2) / 3
}
