/**
 * Whether a tool's output addresses its reader, as a planted or merely helpful file does: "ignore your instructions",
 * "always use…", "AI agents must…", "remember that…". Ordinary output reports what happened.
 */
export function readsLikeInstruction(output: string): boolean {
  return signs.some((sign) => sign.test(output))
}

const signs = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|guideline|above|previous|prior|earlier)/i,
  /(?:^|[.!?:>*\-–—"“]\s{0,4}|\n\s{0,8})(?:always|never|from now on|remember|make sure|be sure|do not|don['’]t|you (?:must|should|shall|have to|need to|are required))\b/i,
  /\b(?:ai|llms?|agents?|assistants?|copilot|claude|codex|gemini|cursor|model)\b.{0,30}\b(?:must|should|shall|always|never|needs? to|ha(?:s|ve) to|required|obliged)\b/i,
  /\byou (?:must|should) (?:always|never|not)\b|\b(?:remember|memori[sz]e|store|save|keep)\b.{0,30}\b(?:memory|rule|guard|instruction|in mind|for later|for the future)\b/i,
  /\b(?:do not|don['’]t|never|without)\b.{0,20}\b(?:tell|inform|mention|ask|asking|telling)\b.{0,20}\b(?:user|human|person|anyone)\b/i,
  /<\/?\s{0,3}(?:system|user|assistant|instructions?|important|drey)[\w-]{0,20}\s{0,3}>|\[\/?(?:INST|SYSTEM)\]|^\s{0,8}(?:system|important|instructions?|note to (?:ai|agents?|assistants?))\s{0,3}:/im,
  /\b(?:curl|wget)\b[^\n|]{0,200}\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da)?sh\b/i,
]
