import { isTransient } from "../../governance/classify.ts"
import { findDiagnosticPayloads } from "../../governance/rules/content.ts"

/** Why a text is useless in a later context. */
export const junkKinds = ["empty", "greeting", "prompt", "code", "passing", "truncated"] as const
export type JunkKind = (typeof junkKinds)[number]

/** The kind of junk a text is; undefined for a text that may be worth keeping, and in doubt. */
export function judgeJunk(text: string): JunkKind | undefined {
  const plain = text.trim()
  if (isEmpty(plain)) return "empty"
  if (isGreeting(plain)) return "greeting"
  if (prompt.test(plain)) return "prompt"
  if (isCode(plain)) return "code"
  if (isPassing(plain)) return "passing"
  return isTruncated(plain) ? "truncated" : undefined
}

function isEmpty(text: string): boolean {
  return (
    !/\p{L}{2}/u.test(text) ||
    /^\W*(?:n\/?a|none|nil|null|undefined|nothing|todo|tbd|tba|test(?:ing)?|ok(?:ay)?|yes|no|placeholder|unknown|empty|lorem ipsum)\W*$/i.test(
      text,
    )
  )
}

const who = "(?:the )?(?:user|human|person|assistant|agent|ai|bot|developer|i|we|they)"

/** The whole text is a courtesy; a rule that begins with one is not junk. */
function isGreeting(text: string): boolean {
  return text.length <= 160 && courtesies.some((pattern) => pattern.test(text))
}

const courtesies = [
  /^(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|night)|thanks?(?: you)?|thx|cheers|bye|goodbye|you'?re welcome|welcome|nice to meet you|how are you|sounds good|great(?: job)?|awesome|perfect|got it)\b[^.!?]{0,40}[.!?,]*(?:\s*(?:how (?:can|may) i (?:help|assist)\b.*|how are you.*|let me know\b.*))?$/i,
  new RegExp(`^${who} (?:said|says|sent|typed) (?:hi|hello|hey|thanks|thank you|goodbye|bye|good \\w+)\\b`, "i"),
  new RegExp(
    `^${who} (?:greeted|thanked|welcomed|greets|thanks|said goodbye to|is grateful|appreciates?|was polite)\\b`,
    "i",
  ),
]

/** Output of the tool around the model, mistaken for the user's words. */
const prompt =
  /^(?:<system|\[?system(?: prompt| message)?\]?:|(?:you are|i am|i'm) (?:a|an|the|chatgpt|claude|gpt)\b.{0,60}\b(?:assistant|agent|model|ai|bot|helper)\b|as an? (?:ai|language model)\b|(?:the )?(?:assistant|agent|ai|model) (?:is|was|has been|should be) (?:instructed|told|designed|configured|asked|expected|an ai|a helpful)|(?:the )?user (?:is interacting|is chatting|is talking) with (?:an? )?(?:ai|assistant|bot|claude|chatgpt))/i

const codeLine =
  /^\s*(?:(?:import|export|from|const|let|var|function|class|def|return|if|for|while|try|catch|public|private|async|await|#include|package|use|fn|func|type|interface|struct|elif|else|end)\b.*|.*[;{}]|[)\]}>]+[,;]?|<\/?[A-Za-z][^>]*>.*|[+-]{3} \S.*|@@ .*|[+-]\s*\S.*[;{}(]|"[^"]+":.*,?|\/\/.*)$/

/** A dump of code, a log or data with hardly any prose. */
function isCode(text: string): boolean {
  if (findDiagnosticPayloads(text).length > 0) return true
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\s*(?:```|~~~)/.test(line))
  const ofCode = lines.filter((line) => codeLine.test(line)).length
  if (lines.length >= 8 && ofCode >= 0.6 * lines.length) return true
  const signs = text.match(/[{}[\]();<>=":,\\|/_]/g)?.length ?? 0
  return text.length > 300 && signs > 0.18 * text.length
}

/** A transient state: of a run, a request, or what someone was doing. */
function isPassing(text: string): boolean {
  if (isTransient(text)) return true
  return text.length <= 240 && !lasting.test(text) && passing.some((pattern) => pattern.test(text))
}

const passing = [
  new RegExp(`^${who} (?:is|are|was|were|am) (?:currently|now|just|right now|still|about to|going to)\\b`, "i"),
  new RegExp(
    `^${who} (?:(?:has |have )?(?:asked|requested)|wants|wanted|would like|is asking|is requesting|needs)(?: (?:the |an? )?(?:assistant|agent|ai|me|help|you))? (?:to|for|about|that|if|whether|how|what|why|with)\\b`,
    "i",
  ),
  new RegExp(`^${who} (?:ran|executed|opened|read|viewed|edited|clicked|typed|pasted|uploaded|shared)\\b`, "i"),
  /^(?:currently|right now|at the moment|now|today|yesterday|this (?:morning|session|conversation)|in this (?:session|conversation)|working on|next step:|in progress:)/i,
  /\b(?:current (?:task|step|date|time)|today's date|todo for today) (?:is|was)\b/i,
]

/** Words of lasting rules. */
const lasting =
  /\b(?:always|never|must|prefers?|every|by default|from now on|rule|convention|because|each time|usually)\b/i

/** The text ends in the middle: it was truncated. */
function isTruncated(text: string): boolean {
  const end = text.slice(-200) // avoids quadratic backtracking on a row of dots
  if (/(?:\.\.\.|…|\[truncated\]|\(truncated\))\W*$/i.test(end)) return true
  if (/[,([{]$/.test(text)) return true
  if (
    /(?:^|\s)(?:and|or|the|a|an|of|to|with|for|because|that|which|is|are|at|by|from|but|as|than|into|before|after|when|if)$/i.test(
      text,
    )
  )
    return true
  return (text.match(/```/g)?.length ?? 0) % 2 === 1
}
