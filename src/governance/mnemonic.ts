/** Twelve or more short words in a row, with or without numbers and commas between them. */
export const wordRow =
  /(?<![A-Za-z])(?:(?:\d{1,2}[.):]{0,1}[ \t]{0,2})?[a-z]{3,8}[ ,;\t\n\r]{1,4}){11,23}(?:\d{1,2}[.):]{0,1}[ \t]{0,2})?[a-z]{3,8}(?![A-Za-z])/g

/** The same as all there is on a line. */
export const wordLine = /^[ \t>*"'`-]{0,6}([a-z]{3,8}(?: [a-z]{3,8}){11,23})["'`.]{0,2}[ \t\r]{0,3}$/gm

/**
 * Whether words in a row stand for the key of a wallet. Their lists have no articles, prepositions or plurals, and nearly no verb
 * forms, so that no sentence is twelve words long without one; the number of words is fixed. Nearby words may say it outright.
 */
export function isMnemonic(row: string, context?: string): boolean {
  const words = row.match(/[a-z]+/g) ?? []
  const gaps = row.match(/[^a-z]+/g) ?? []
  if (gaps.some((gap) => gap.includes(",")) && !gaps.every((gap) => gap.includes(","))) return false // a list of several words each
  const inflected = words.filter((word) => inflection.test(word)).length
  if (words.some((word) => functionWord.test(word))) return false
  if (context !== undefined && speaksOfWallet.test(context)) return inflected <= words.length / 4
  return [12, 15, 18, 21, 24].includes(words.length) && inflected <= 1
}

const speaksOfWallet =
  /\b(?:seed|recovery|backup|secret|wallet)[ -]?(?:phrase|words?|list)\b|\bseed\b[^\n]{0,12}$|mnemonic|bip-?39|\bwallet\b|wiederherstellung|merkw[oö]rter|semilla|mn[eé]moni|phrase de r[eé]cup|frase di recup|frase de recup/i

const functionWord =
  /^(?:the|and|for|are|but|not|with|from|was|were|has|had|its|our|your|their|his|her|she|him|been|being|than|too|which|who|how|why|does|did|would|could|should|may|might|per|via|etc|des|les|une|est|und|der|die|das|den|dem|ein|ist|mit|por|para|los|las|del|que|con|una|uma|dos|das|non|che|alla|della|use|get|set|new|also|both|each|every|these|those|them|some|while)$/

/** Plurals, verb forms and adverbs, but for the few that the lists have. */
const inflection =
  /(?<![suiao])s$|(?<!ne|se|spe|fe|she|we|ble)ed$|(?<!k|r|str|br|sw|w|th|spr)ing$|(?<!ear|on|f|fami|ug|re|si)ly$|tions?$|ments?$/
