import type { ForbiddenRule } from "../detect-forbidden.ts"
import { isBehindMark, isKeyLike, isPlaceholder, isRandom } from "./placeholders.ts"

/** Twelve or more short words in a row, with or without numbers and commas between them. */
const wordRow =
  /(?<![A-Za-z])(?:(?:\d{1,2}[.):]{0,1}[ \t]{0,2})?[a-z]{3,8}[ ,;\t\n\r]{1,4}){11,23}(?:\d{1,2}[.):]{0,1}[ \t]{0,2})?[a-z]{3,8}(?![A-Za-z])/g

/** The same as all there is on a line. */
const wordLine = /^[ \t>*"'`-]{0,6}([a-z]{3,8}(?: [a-z]{3,8}){11,23})["'`.]{0,2}[ \t\r]{0,3}$/gm

/**
 * Whether a sequence of words is a wallet's key. The word lists have no articles, prepositions or plurals, and almost no verb forms, so no
 * sentence of twelve words passes; the number of words is fixed. Nearby words may name it explicitly.
 */
function isMnemonic(row: string, context?: string): boolean {
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

const reason = "private key material"

/** Keys themselves: PEM and related formats, with or without their first line, wallet keys, and seed phrases. */
export const keyRules: ForbiddenRule[] = [
  {
    rule: "pem-private-key",
    reason,
    hints: ["-----begin"],
    reach: 20_000,
    // A header right before a closing quote, a comma or dots is a mention of keys, not a key.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!["'`,.…])(?:(?:[^-]|-(?!----)){0,16384}-----END [A-Z0-9 ]{0,40}-----|[A-Za-z0-9+/=\s\\]{0,16384})/g,
  },
  {
    rule: "ssh2-private-key",
    reason,
    hints: ["---- begin"],
    reach: 10_000,
    pattern: /---- BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY ----[\s\S]{0,8192}?(?:---- END [A-Z0-9 ]{0,40}----|$)/g,
  },
  {
    rule: "putty-private-key",
    reason,
    hints: ["putty-user-key-file"],
    reach: 14_000,
    pattern:
      /PuTTY-User-Key-File-\d: [\s\S]{0,4096}?Private-Lines: \d+\s{1,4}[A-Za-z0-9+/=]{20,80}(?:\s{1,4}[A-Za-z0-9+/=]{20,80}){0,80}/g,
  },
  {
    rule: "putty-private-lines",
    reason,
    hints: ["private-lines"],
    reach: 8_000,
    pattern: /Private-Lines: \d+\s{1,4}[A-Za-z0-9+/=]{20,80}(?:\s{1,4}[A-Za-z0-9+/=]{20,80}){0,80}/g,
  },
  {
    rule: "end-of-private-key",
    reason,
    hints: ["-----end"],
    before: 16_000,
    pattern:
      /(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{16,80}(?:\s|\\n|\\r){1,6}){1,200}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  {
    rule: "key-body",
    reason,
    hints: [],
    lineLengths: [64, 65, 70, 71, 76, 77],
    // Full lines of base64 of one length, as keys are written; one of them must be known not to be a certificate or a signature.
    pattern:
      /(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76})(?:[ \t]{0,8}(?:\r?\n|\\n)[ \t]{0,8}(?:[A-Za-z0-9+/]{76}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{64})(?![A-Za-z0-9+/])){1,400}(?:[ \t]{0,8}(?:\r?\n|\\n)[ \t]{0,8}[A-Za-z0-9+/]{4,76}={0,2})?/g,
    isForbidden: (value, { above }) => isKeyLike(value.slice(0, 64)) && !publicBlock.test(above),
  },
  {
    rule: "der-private-key",
    reason,
    hints: [
      "mii",
      "mighag",
      "migkag",
      "mig2ag",
      "mihcag",
      "mihuag",
      "mhccaq",
      "mc4caq",
      "mfecaq",
      "mcecaq",
      "b3blbnnza",
    ],
    reach: 10_000,
    // A sequence that begins with a version and an algorithm or a number, which a certificate or a public key never does.
    pattern:
      /(?<![A-Za-z0-9+/])(?:MI[IGHG][A-Za-z0-9+/]{1,5}(?:IBA[ADQ]|AgE[AB]|CAQ[AEM])[A-Za-z0-9+/]|MC[4C]CAQAwB|MFECAQ|MHcCAQ|MIGkAgE|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]{24,4096}(?:\s{1,4}[A-Za-z0-9+/]{16,80}){0,200}={0,2}/g,
    isForbidden: (value) => isRandom(value.slice(0, 60)),
  },
  key("age-secret-key", "age-secret-key-", "AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,3000}"),
  key("extended-private-key", "prv", "(?<![A-Za-z0-9])[xyztuvXYZTUV]prv[1-9A-HJ-NP-Za-km-z]{70,120}", isRandom),
  key("nostr-key", "nsec1", "nsec1[02-9ac-hj-np-z]{50,60}"),
  key("cardano-key", "_sk1 _xsk1 xprv1", "(?:ed25519e?_sk|[a-z_]{3,12}_x?sk|xprv)1[02-9ac-hj-np-z]{50,200}"),
  {
    ...key("wallet-import-key", "", "(?<![A-Za-z0-9])[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])", isRandom),
    hints: [],
    longRun: 51,
  },
  {
    rule: "stellar-seed",
    reason,
    hints: [],
    longRun: 56,
    pattern: /(?<![A-Za-z0-9])S[A-Z2-7]{55}(?![A-Za-z0-9])/g,
    isForbidden: isRandom,
  },
  {
    rule: "named-private-key",
    reason,
    hints: [
      "private",
      "priv",
      "secret key",
      "wallet",
      "privee",
      "privée",
      "privada",
      "privata",
      "privater",
      "privado",
      "signing key",
      "seed",
    ],
    pattern:
      /(?:private?[ _-]?key|priv[ _-]?key|secret[ _-]?key|wallet|signing[ _-]?key|cl[eé] priv[eé]e|clave privada|chave privada|chiave privata|private[rn]? schl[uü]ssel|seed)[^\n]{0,40}?(?<![A-Za-z0-9])((?:0x)?[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{86,90})(?![A-Za-z0-9])/gi,
    isForbidden: (value, { before }) =>
      isRandom(value) &&
      !isBehindMark(before) &&
      !/public|fingerprint|hash|sha\d|checksum|address/i.test(before.slice(-50)),
  },
  {
    rule: "key-in-numbers",
    reason,
    hints: ["solana", "keypair", "secret key", "secretkey", "secret_key", "private key", "private_key", "privatekey"],
    pattern: /\[[ \t\n]{0,4}(?:\d{1,3},\s{0,4}){31,63}\d{1,3}[ \t\n]{0,4}\]/g,
  },
  {
    rule: "json-web-key",
    reason,
    hints: ["kty"],
    pattern:
      /"kty"[^{}]{0,2000}?"d"\s{0,3}:\s{0,3}"([A-Za-z0-9_-]{30,700})"|"d"\s{0,3}:\s{0,3}"([A-Za-z0-9_-]{30,700})"(?=[^{}]{0,2000}"kty")/g,
    isForbidden: isRandom,
  },
  {
    rule: "wallet-words",
    reason,
    hints: [
      "seed",
      "mnemonic",
      "phrase",
      "wallet",
      "recovery",
      "wiederherstell",
      "semilla",
      "palabras",
      "récupération",
      "recupera",
      "bip39",
      "bip-39",
      "words",
    ],
    pattern: wordRow,
    isForbidden: (value, { before, above }) => isMnemonic(value, `${above} ${before}`),
  },
  {
    rule: "mnemonic",
    reason,
    hints: [],
    pattern: wordLine,
    isForbidden: (value) => isMnemonic(value),
  },
]

function key(
  rule: string,
  hints: string,
  pattern: string,
  check = (value: string) => !isPlaceholder(value),
): ForbiddenRule {
  return { rule, reason, hints: hints.split(" "), pattern: new RegExp(pattern, "g"), isForbidden: check }
}

const publicBlock =
  /BEGIN (?:[A-Z0-9 ]{0,30})?(?:CERTIFICATE|PUBLIC KEY|PGP SIGNATURE|PGP MESSAGE|PGP PUBLIC|SIGNATURE|X509)|base64,|data:|ssh-(?:rsa|ed25519|dss)/
