import type { LastingSentence } from "./lasting.ts"

/**
 * A user's sentence as a memory that can be read without the conversation: no "no, that's wrong:" before it, no "I" and
 * "here". A sentence about "it", or without a subject, follows the one it refers to; undefined without such a sentence.
 */
export function ruleText({ words, before }: Pick<LastingSentence, "words" | "before">): string | undefined {
  const plain = words.replace(/\s+/g, " ").replace(/[‘’]/g, "'").trim()
  const sentence = stripped(plain)
  if (sentence === "") return undefined
  if (!leansOnBefore.test(sentence)) return asSentence(inThirdPerson(sentence))
  if (before === undefined || /[?？]\s*$/.test(before)) return undefined
  const subject = stripped(before.replace(/\s+/g, " ").trim())
  return subject === "" || leansOnBefore.test(subject)
    ? undefined
    : `${asSentence(inThirdPerson(subject))} ${asSentence(inThirdPerson(sentence))}`
}

function stripped(sentence: string): string {
  let rest = sentence
  for (const prefix of [brackets, opening, forGood, reminder, opening]) rest = rest.replace(prefix, "$1")
  return rest.trim()
}

const brackets = /^[(（](.+)[)）]$/

/** A "no" or "stop" without a comma is part of the rule. */
const opening =
  /^(?:(?:no|nope|nah|stop|wait|yes|yeah|well|sorry|oh|nein|non|não)[,:;.!—–-]+\s*|(?:ok(?:ay)?|so|also|and|but|please|pls|hey|actually|hmm+|btw|by the way|fyi|just so you know|alright|again|as i said|i said|i told you|i already said|bitte|por favor|(?:that|this)(?:'s| is) (?:wrong|incorrect|not (?:right|it|correct)))\b[,:;.!—–-]*\s+)+()/i

/** Says that what follows is meant to last. */
const forGood =
  /^(?:from (?:now|here|this point|today) on(?:wards?)?|going forward|henceforth|in (?:the )?future|as a (?:general )?rule|ab (?:jetzt|sofort)|künftig|in zukunft|désormais|à partir de maintenant|(?:a partir de|de) (?:ahora|agora)(?: en adelante| em diante)?)[,:]? ()/i

const reminder =
  /^(?:(?:remember|(?:keep|bear) in mind|don't forget|for the record|(?:note )?for (?:the )?(?:future|later)(?: reference)?|note|merk dir)(?: that| to|:|,)? |i(?:'d| would)? (?:want|like|need) you to |make sure (?:that )?(?:you )?(?=(?:always|never)\b))()/i

/** "It must be …", "should be …": means nothing without the sentence before it. */
const leansOnBefore =
  /^(?!it(?:'s| is) (?:now )?(?:fine|ok|okay|allowed|alright) to)(?:(?:it|they|he|she|them|those|these|this|that)(?:'s|'re)? (?!(?:project|repo|repository|code ?base|team|package|library|app|extension|machine|service|module)\b)|(?:should|must|can|has to|needs to|which|also)\b)/i

/** A later reader does not know "I", "me" and "here". */
function inThirdPerson(sentence: string): string {
  return sentence
    .replace(/(?<=\b(?:ask|asking|tell|telling|show|showing|to|with|from) )me\b/gi, "the user")
    .replace(/^i(?:'d| would) (like|prefer|rather)\b/i, "The user would $1")
    .replace(/^i (?:don't|do not) (like|want|need)\b/i, "The user does not $1")
    .replace(/^i (do|strongly |really |much |always )?(prefer|like|love|hate|dislike|want|need)\b/i, "The user $1$2s")
    .replace(/^i'm\b/i, "The user is")
    .replace(/^we (?:always |only )?use\b/i, "This project uses")
    .replace(/^we (?:don't|do not|never) use\b/i, "This project does not use")
    .replace(/^we(?:'re| are)\b/i, "In this project we are")
    .replace(/^we\b/i, "In this project we")
    .replace(/(?<=\bprojects?\b.*?) (?:in )?here\b/i, "")
    .replace(/\b(?:in|around) here\b/i, "in this project")
    .replace(/(?<=^the user .*)(?<![\w-])my(?![\w-])/gi, "their")
    .replace(/(?<![\w-])my(?![\w-])/g, "the user's")
}

function asSentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1).replace(/[.!。！;,:]+$/, "")
  return `${capital}${/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(capital) ? "。" : "."}`
}
