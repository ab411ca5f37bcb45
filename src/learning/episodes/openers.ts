import { lowerCase, phrases } from "../languages/phrases.ts"

export type Opener = "correction" | "new task" | "continuation"

/**
 * How a message begins: with a correction, a new task, or a continuation. Only its beginning counts, after "ok",
 * "thanks" and the like. A question or a polite request is not a correction.
 */
export function openerOf(words: string): Opener | undefined {
  const whole = lowerCase(words).trim()
  const rest = withoutFillers(whole)
  if (announcement.test(rest)) return "new task"
  if (newTask.test(rest)) return refersBack(rest) ? "continuation" : "new task"
  if (!isQuestion(whole) && !isRequest(rest) && (correction.test(rest) || hasInstead(rest))) return "correction"
  if (correctsBehindQuestion(whole)) return "correction"
  return continuation.test(rest) || continuation.test(whole) || correction.test(rest) ? "continuation" : undefined
}

/** Whether the beginning announces another topic explicitly. */
export function announcesOther(words: string): boolean {
  return announcement.test(withoutFillers(lowerCase(words).trim()))
}

/** "Now add a test for it": short, and about the current task. */
function refersBack(text: string): boolean {
  const words = text.split(/\s+/)
  return words.length <= 8 && words.some((word) => /^(?:it|that|this|them|these|those|same|too)\W*$/i.test(word))
}

/** "Did you change the test? That's wrong, …": a rhetorical question. */
function correctsBehindQuestion(text: string): boolean {
  const behind = /^[^.!?\n]{1,200}\?\s{1,3}(?=\S)/.exec(text)?.[0].length ?? 0
  return behind > 0 && !isQuestion(text) && strongCorrection.test(text.slice(behind))
}

/** Ends with a question mark, or is a request in the form of a question. */
export function asks(words: string): boolean {
  const whole = lowerCase(words).trim()
  return isQuestion(whole) || (isRequest(withoutFillers(whole)) && !correctsBehindQuestion(whole))
}

/** Begins with a "no" on its own: "no, …", "nope". */
export function beginsWithNo(words: string): boolean {
  const rest = withoutFillers(lowerCase(words).trim())
  const refused = refusal.exec(rest)?.[0].length
  return refused !== undefined && /^(?:[\s]{0,2}[,.!;:—–，。！、]|\s{0,2}$|\s{1,2}no\b)/i.test(rest.slice(refused))
}

/** Whether it says more than the "no" of an answer: "no, that's wrong, …". */
export function correctsBeyondRefusal(words: string): boolean {
  const rest = withoutFillers(lowerCase(words).trim())
  const refused = refusal.exec(rest)
  if (refused === null) return true
  const behind = withoutFillers(rest.slice(refused[0].length).replace(/^[\s,.!;:—–-]{1,4}/, ""))
  return strongCorrection.test(behind) || strongCorrection.test(rest)
}

/**
 * Right after an interruption, any word of refusal or of an alternative in the first sentence makes it a correction.
 */
export function redirects(words: string): boolean {
  const whole = lowerCase(words).trim()
  if (whole === "" || isQuestion(whole) || isRequest(withoutFillers(whole))) return false
  const [sentence = ""] = whole.split(/(?<=[.!?。！？])\s|\n/)
  return !isQuestion(sentence) && redirection.test(sentence)
}

function withoutFillers(text: string): string {
  let rest = text
  for (let taken = 0; taken < 5; taken++) {
    const match = filler.exec(rest)
    const shorter = match === null ? rest : rest.slice(match[0].length).replace(/^[\s,.!;:…—–~-]{1,6}/, "")
    if (match === null || shorter === "" || shorter.length === rest.length) return rest
    if (!/^[\s,.!;:…—–~-]/.test(rest.slice(match[0].length)) && !/[^\x00-\x7f]$/.test(match[0])) return rest
    rest = shorter
  }
  return rest
}

function isQuestion(text: string): boolean {
  return /[?？][\s"'”)*_]{0,6}(?:[\p{Extended_Pictographic}:)(\s]{0,6})$/u.test(text)
}

function isRequest(text: string): boolean {
  return request.test(text)
}

function hasInstead(text: string): boolean {
  return /^[^.?!\n]{1,100}\b(?:instead|rather than)\b|^[^.?!\n]{3,80}, (?:and )?not (?!sure|yet|only|just|necessarily|all\b)\w/.test(
    text,
  )
}

const newTask = phrases(({ openers }) => openers["new task"], "first")
const announcement = phrases(({ announcements }) => announcements, "first")
const correction = phrases(({ openers }) => openers.correction, "first")
const continuation = phrases(({ openers }) => openers.continuation, "first")
const refusal = phrases(({ refusals }) => refusals, "first")
const request = phrases(({ requests }) => requests, "first")
const filler = phrases(({ fillers }) => fillers, "first")

const strongCorrection =
  /^(?:that(?:'s| is| was)|this is|it(?:'s| is) (?:wrong|not)|it should|you (?:forgot|missed|broke|should|shouldn't|didn't|did|changed|removed|deleted|used|put)|i (?:said|told|meant|asked|wanted|didn't)|wrong|use \S|undo|revert|das (?:ist|war|stimmt)|du hast|ich (?:sagte|meinte|wollte)|falsch|eso|est[aá] mal|te (?:dije|ped)|不对|不對|错|錯|应该|應該|你|我(?:说|說|是|要)|c'est|tu as|je (?:voulais|t'ai)|isso|voc[eê]|eu (?:disse|pedi)|違|間違)/iu

const redirection =
  /(?<![\p{L}_])(?:no|not|don't|dont|do not|never|stop|instead|rather|just|only|wrong|should(?:n't)?|already|without|is right|is correct|nicht|kein\p{L}{0,2}|nur|stattdessen|falsch|no|sino|sólo|solo|pas|plutôt|não|apenas)(?![\p{L}_])|不|别|別|只|应该|應該|ではなく|じゃなく|しないで|やめ/iu
