import { isDirective } from "../../../team/team-rules.ts"
import { findStatements, ownWords, type StatementKind } from "../../episodes/statements.ts"
import { contentWords, sentencesOf } from "../sentences.ts"

export type FoundRule = StatedRule & {
  kind: StatementKind
  /** In the user's words. */
  words: string
}

/** The rules stated in a user's message, each as written and as a self-contained rule. */
export function findStatedRules(message: string): FoundRule[] {
  return findStatements(ownWords(message)).flatMap(({ kind, start, end }) => {
    const found = sentencesOf(message.slice(start, end)).flatMap((words) => {
      const rule = stateRule(words, kind)
      return rule === undefined ? [] : [{ ...rule, kind, words }]
    })
    return found.slice(0, 1)
  })
}

export type StatedRule = {
  text: string
  /**
   * An explicit rule, a fact to remember, or a rule only by its form ("don't add comments") that may be meant for the
   * moment.
   */
  certainty: "stated" | "told" | "likely"
}

/**
 * Turns a user's sentence into a self-contained rule; undefined if it is not one: sentences about one line, one button,
 * this time, or past actions end with the task. `kind`: the episode's signals recognised a rule, which is sufficient
 * for other languages than English.
 */
export function stateRule(said: string, kind: StatementKind | undefined): StatedRule | undefined {
  const plain = said.replace(/\s+/g, " ").replace(/[‘’]/g, "'").trim().replace(opening, "")
  const isForGood = forGood.test(plain)
  const sentence = plain
    .replace(isForGood ? forGood : reminder, "")
    .replace(opening, "")
    .replace(/(?<=\b(?:ask|asking|tell|telling|show|showing|to|with|from) )me\b/gi, "the user")
  if (/[?？…:：]$|\.\.\.$/.test(sentence) || sentence.length > 200) return undefined // a question, an announcement, or truncated
  if (passing.some((sign) => sign.test(sentence)) || isMostlySigns(sentence)) return undefined
  const certainty = certaintyOf(sentence, kind, isForGood)
  return certainty && { text: asSentence(inThirdPerson(sentence)), certainty }
}

/** A "no" or "stop" without a comma is part of the rule. */
const opening =
  /^(?:(?:no|nope|nah|stop|wait|yes|yeah|well|sorry|oh)[,:;.!—–-]+\s*|(?:ok(?:ay)?|so|also|and|but|please|pls|hey|actually|hmm+|btw|by the way|fyi|again|as i said|i said|i told you|i already said|(?:that|this)(?:'s| is) (?:wrong|incorrect|not (?:right|it|correct)))\b[,:;.!—–-]*\s+)+/i

/** Says that what follows is meant to last, whatever its form. */
const forGood =
  /^(?:from (?:now|here|this point|today) on(?:wards?)?|going forward|henceforth|in (?:the )?future|as a (?:general )?rule)[,:]? /i

const reminder =
  /^(?:(?:remember|(?:keep|bear) in mind|don't forget|for the record|(?:note )?for (?:the )?(?:future|later)(?: reference)?|note)(?: that| to|:|,)? |i(?:'d| would)? (?:want|like|need) you to |make sure (?:that )?(?:you )?(?=(?:always|never)\b))/i

/** Words that tie a sentence to the moment, to one place in the code, or to past work. */
const passing = [
  /\b(?:lines? \d+|#\d+|step \d+|option \d+|version \d|v\d+(?:\.\d+)+)\b/i,
  /\b(?:this|(?<!\b(?:\w+s|code|data|anything|everything) )that|these|those) (?!(?:project|repo|repository|code ?base|team|package|monorepo|workspace)\b)/i, // but "tests that wait" are all such
  /\b(?:this|that|these|those)\b(?! )|^(?:it|they|he|she|there)\b|\b(?:do|does|did|fix|change|undo|revert|remove|move|keep|put|make) (?:it|that|this|them)\b/i,
  /\bthe (?:other|first|second|third|last|same|new|old|current|latest|previous|next|left|right|top|bottom|above|below|wrong|correct)\b/i,
  /\b(?:above|below|earlier|yesterday|today|tonight|tomorrow|yet|at the moment|for now|right now|this time|just now|anymore|elsewhere|in (?:other|some|several|many|both|two) (?:other )?places|the (?:error|issue|bug|problem|button|screenshot|pr|branch|plan))\b/i,
  /\byou(?:'ve| have|'re| are)? (?:did|forgot|missed|removed|changed|added|broke|used|put|made|said|are|were|was|wrote|created|deleted|still|just|already|can|could|keep|didn't|did not|haven't|don't seem)\b/i,
  /\bi(?:'m|'ve|'ll| am| have| had| think| thought| guess| see| saw| got| get| ran| tried| mean| just| already| was| will| would| wonder| believe| asked| meant| said| never| don't (?!like\b))\b/i,
  /\b(?:can|could|would|will) (?:you|we|i)\b|\b(?:let's|lets|let us)\b|\b(?:my|mine|me|myself)\b/i,
  /^(?:always|never) (?:render|show|display|hide)\b|^always (?:print|return|log|set)\b/i, // how one feature should behave
  /^(?!.*\b(?:is|are) (?:at|on|under) https?:).*https?:\/\/|[{}<>]|=>|\bat \S+:\d+/, // but where to find something is lasting
]

function isMostlySigns(sentence: string): boolean {
  const letters = sentence.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters < sentence.length * 0.7
}

function certaintyOf(
  sentence: string,
  kind: StatementKind | undefined,
  isForGood: boolean,
): StatedRule["certainty"] | undefined {
  const words = contentWords(sentence).size
  if (isForeign(sentence)) return kind !== undefined && words >= 3 ? "stated" : undefined
  if (words < 1) return undefined
  if (isForGood) return "stated"
  const isGeneral = general.test(sentence) || !/\b(?:the|a|an)\b/i.test(sentence) // "the icon" is one icon, "icons" are all
  if (taste.test(sentence) || standing.some((form) => form.test(sentence)) || (isGeneral && isDirective(sentence)))
    return "stated"
  if (kind !== undefined && custom.test(sentence) && !complaint.test(sentence)) return "stated"
  if (kind === "remember" && tells.some((form) => form.test(sentence))) return "told"
  return isGeneral && habit.test(sentence) ? "likely" : undefined
}

/** By letters that English does not have, or by common short words of other languages. */
function isForeign(sentence: string): boolean {
  return /[^\p{ASCII}\p{P}\p{S}\p{M}]/u.test(sentence) || foreignWords.test(sentence)
}

const foreignWords =
  /\b(?:der|das|und|nicht|immer|nie|niemals|bitte|ist|ein|eine|wir|mit|auf|siempre|nunca|por|para|que|los|las|una|toujours|jamais|pas|les|des|une|nous|sempre|não|uma|altijd|niet|het)\b/i

const general =
  /\b(?:always|never|every|all|any|each|ever|everywhere|wherever|whenever|we|our|must|may not|project|repo|repository|code ?base|convention)\b/i

const taste = /^i (?:strongly |really |much )?(?:prefer|like|love|hate|dislike|don't like|do not like)\b/i

const standing = [
  /^we (?:use|always|never|only|prefer|are on|run on|deploy (?:to|on)|target|support)\b/i,
  /^(?:we|you|agents|everyone) should (?:always|never|only|be using|use|prefer|avoid|not use)\b.{0,150}\b(?:wherever|whenever|everywhere|always|never|all|every|each|any|instead of|rather than)\b/i,
  /^(?:this|our) (?:project|repo|repository|code ?base|team|package|monorepo) (?:only )?(?:uses|runs on|targets|supports|follows|is (?:built|written|deployed|on))\b/i,
  /^our (?:[\w-]+ ){0,2}(?:convention|policy|package manager|test (?:command|runner|framework)|database|formatter|linter|default branch) is\b/i,
  /^tests (?:live|go) (?:in|under|next to|beside)\b/i,
]

/** "Migrations always run as migrator", "check the schema first, always". */
const custom = /^(?:[\w-]+ ){1,4}(?:always|never|only|must) \w|, (?:always|every time)[.!]?$/i

const complaint =
  /\b(?:was|were|has|have|had)\b|\b(?:fail|crash|break|broke|hang|work|happen|pass|get|got|show|appear)(?:s|es|ed|ing)?\b/i

/** A description of something or someone; "run the tests" begins with an action. */
const tells = [
  /^(?:the|our|all|every|each|no|both|most|we|a|an|this project) (?:[\w`'./-]+ ){0,7}?(?:is|are|has|have|must|can|cannot|can't|may|should|will|do|does|don't|doesn't|\w{2,}s) \S/i,
  /^(?:(?!(?:the|a|an|our|your)\b)[\w`'./-]+ ){1,4}(?:is|are|has|have|must|can|cannot|can't|may|should|will|needs?|requires?|lives?|runs?|uses?|expects?|goes|go|happens?|belongs?|depends?|does|do|don't|doesn't) \S/i,
]

/** "Don't add comments", "stop creating summary files". */
const habit =
  /^(?:don't|do not|avoid|stop) (?:add|creat|writ|us|generat|commit|mock|leav|put|introduc|mak)\w* (?:[\w-]+ ){0,2}[\w-]+s[.!]?$/i

/** A later reader does not know "I" or "here". */
function inThirdPerson(sentence: string): string {
  return sentence
    .replace(/^i (?:don't|do not) like\b/i, "The user does not like")
    .replace(/^i (strongly |really |much )?(prefer|like|love|hate|dislike)\b/i, "The user $1$2s")
    .replace(/^we (?:always |only )?use\b/i, "This project uses")
    .replace(/^we (?:don't|do not|never) use\b/i, "This project does not use")
    .replace(/^we\b/i, "In this project we")
    .replace(/(?<=\bprojects?\b.*?) (?:in )?here\b/i, "")
    .replace(/\b(?:in|around) here\b/i, "in this project")
}

function asSentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1).replace(/[.!。！;,:]+$/, "")
  return `${capital}${/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(capital) ? "。" : "."}`
}
