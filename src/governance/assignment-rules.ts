import type { Around, Rule } from "./detect-forbidden.ts"
import { entropyOf, isPlaceholder, isRandom, isReadable } from "./placeholder.ts"

const passwordName =
  "pass[_-]?word|passwd|pass[_-]?phrase|pass[_-]?code|pwd|community[ _-]string|[a-z0-9]_pass|[a-z0-9]_pw|(?<![a-z])(?:wpa[_-]?)?psk"
const tokenName =
  "secret|token|api[_-]?key|app[_-]?key|access[_-]?key|auth[_-]?key|account[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|master[_-]?key|credentials?|[a-z0-9]_(?:key|pat|auth|psk|cookie|creds?|jwt|dsn|salt)|(?<![a-z])(?:pat|apikey)(?=[=:])"
const suffix = "s?(?:[_-][a-z0-9_-]{0,30}|key|value|text)?"
const quoted = "\"([^\"\\n]{4,256})|'([^'\\n]{4,256})|`([^`\\n]{4,256})"
const hints = [
  "pass",
  "community",
  "pwd",
  "secret",
  "token",
  "key",
  "cred",
  "_pat",
  "pat=",
  "pat:",
  "_auth",
  "psk",
  "_cookie",
  "_jwt",
  "_dsn",
  "_salt",
]

/** Secrets that show only by what they are assigned to: `password=…`, `"api_key": "…"`, "the password is …", and by connection strings. */
export const assignmentRules: Rule[] = [
  {
    rule: "url-password",
    reason: "connection string secret",
    hints: ["://"],
    pattern: /:\/\/[^\s:@/?#"'`<>]{0,100}:([^\s@/"'`<>]{1,200})(?=@[\w[.${<-])/gi,
    isForbidden: (value, around) => !isPlaceholder(value) && !isSampleUrl(value, around),
  },
  {
    rule: "storage-account-key",
    reason: "connection string secret",
    hints: ["accountkey", "sharedaccesskey", "sharedaccesssignature"],
    pattern: /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)[ \t]?=[ \t]?([^\s;"'`<>]{8,512})/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "shared-access-signature",
    reason: "connection string secret",
    hints: ["sig="],
    pattern: /[?&]sig=([A-Za-z0-9%+/=_-]{20,256})/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "connection-string-password",
    reason: "connection string secret",
    hints: ["password", "pwd"],
    pattern: /\b(?:password|pwd)[ \t]?=[ \t]?([^\s;"'`]{1,200})/gi,
    isForbidden: (value, around) => !isPlaceholder(value) && isInConnectionString(around),
  },
  {
    rule: "password-assignment",
    reason: "credential-like assignment",
    hints,
    pattern: assignment(passwordName),
    isForbidden: (value, around) => isPassword(value) || isBareKebab(value, around),
  },
  {
    rule: "secret-assignment",
    reason: "credential-like assignment",
    hints,
    pattern: assignment(tokenName),
    isForbidden: (value, around) => isMachineMade(value) || isBareKebab(value, around),
  },
  {
    rule: "secret-in-prose",
    reason: "credential-like assignment",
    hints,
    pattern: prose(tokenName.replaceAll("[_-]?", "[ _-]?")),
    isForbidden: isMachineMade,
  },
  {
    rule: "password-flag",
    reason: "credential-like assignment",
    hints: ["--pass", "--token", "--secret", "--api"],
    pattern: /--(?:password|passwd|token|secret|api-?key)[ \t]{1,3}["']?([^\s"'`]{6,256})/gi,
    isForbidden: isPassword,
  },
  {
    rule: "password-element",
    reason: "credential-like assignment",
    hints: ["<pass", "<pwd", "<secret", "<token", "<api"],
    pattern: /<(?:password|passwd|pwd|secret|token|api_?key)>([^\s<>]{6,256})(?=<\/)/gi,
    isForbidden: isPassword,
  },
]

/** `user:password@localhost`: when name, password and host all hold a place, nothing is given away. */
function isSampleUrl(value: string, { before, after }: Around): boolean {
  return (
    /^(?:pass|password)$/i.test(value) &&
    /\/\/(?:user|username):$/i.test(before) &&
    /^@(?:localhost|host|hostname)\b/i.test(after)
  )
}

function assignment(name: string): RegExp {
  const between = "[\"'`*\\]]{0,3}[ \\t]{0,3}(?::=|=>|={1,3}|:|\\|)[ \\t]{0,3}[*]{0,2}[ \\t]{0,2}"
  return new RegExp(`(?:${name})${suffix}${between}(?:${quoted}|([^\\s"'\`,;|]{6,256}))`, "gi")
}

function prose(name: string): RegExp {
  const between =
    "(?:[ \\t](?:for|of|to|on|in)[ \\t][^\\n:=.]{1,40}?)?[ \\t](?:is|was|set to|changed to|equals)[ \\t:]{1,3}"
  return new RegExp(`\\b(?:${name})${between}(?:${quoted}|([^\\s"'\`,;|]{6,256}))`, "gi")
}

const algorithm =
  /^(?:sha|md|aes|rsa|hs|rs|es|ps|ed|utf|base|argon|pbkdf|oauth|http|x|v|tls|ipv|bcrypt|scrypt|blake|p|s|h|i|l|k)-?\d+[a-z]{0,3}(?:[-_/.].*)?$/i
const code =
  /^[A-Za-z_$][\w.$?!]*[([<]|^[./~@#&|({[\\]|::|=>|->|\/\/|^--|^(?:secretref|keyvault|vault|op|ref|arn|urn|file|env|kv):/i
const memberAccess = /^[A-Za-z_]\w*\??(?:\.[A-Za-z_]\w*)+[?!]?$/
const measure =
  /^[~<>]?\d+[-\w]{0,2}(?:min|char|day|hour|sec|bit|byte|word|digit|token|week|month|year|step|line|[kmg]b?$|ms$|s$)/i

/** A value people choose: seven characters or more, letters with a digit or a mark that no identifier has, or letters without a word. */
export function isPassword(raw: string): boolean {
  const value = trimmed(raw)
  if (value.length < 7 || isPlaceholder(raw) || isReference(value)) return false
  const letters = /[A-Za-z]/.test(value)
  const mark = /[!@#$%^&*?+=~]/.test(value.slice(0, -1)) || /[!@#$%^&*]$/.test(value)
  if (/^[A-Za-z]{8,64}$/.test(value)) return /[a-z][A-Z]/.test(value) && entropyOf(value) >= 2.8 && !isReadable(value)
  return (letters && /\d/.test(value)) || (mark && (letters || /\d/.test(value)))
}

/** A value a machine made: longer, with letters and digits, and not readable as a name. */
function isMachineMade(raw: string): boolean {
  const value = trimmed(raw)
  if (/^[A-Za-z0-9+/]{40,}={1,2}$/.test(value) && isRandom(value)) return true // also where it begins as a path does
  if (value.length < 8 || isPlaceholder(raw) || isReference(value) || !/[A-Za-z]/.test(value)) return false
  if (/\d/.test(value)) return entropyOf(value) >= 2.5 && !isReadable(value)
  return value.length >= 16 && /^[A-Za-z+/=]+$/.test(value) && isRandom(value)
}

/** Words joined by hyphens right behind an equals sign: a passphrase, unless they name another secret. */
function isBareKebab(raw: string, { before }: Around): boolean {
  const value = trimmed(raw)
  const joined = value.length >= 12 && /^[a-z]+(?:-[a-z]+){2,8}$/i.test(value)
  return joined && /[a-z0-9]=$/i.test(before) && !isPlaceholder(value) && !namesSecret.test(value)
}

const namesSecret = new RegExp(`(?:${tokenName}|name|id|ref)$`, "i")

/** Whether a value points elsewhere or describes itself: code, an algorithm, a measure, the name of a variable. */
export function isReference(value: string): boolean {
  return (
    /\s/.test(value) ||
    code.test(value) ||
    memberAccess.test(value) ||
    algorithm.test(value) ||
    measure.test(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) ||
    /^\d[\d.,:TZ+-]*$/.test(value)
  )
}

function isInConnectionString({ before, after }: Around): boolean {
  const field =
    /(?:server|data source|host|addr(?:ess)?|user ?id|uid|user(?:name)?|initial catalog|database|endpoint)[ \t]?=/i
  return (
    (/;[^;\n]{0,3}(?:password|pwd)[ \t]?=[ \t]?$/i.test(before) && field.test(before)) ||
    (/^;/.test(after) && field.test(after))
  )
}

function trimmed(value: string): string {
  return value.replace(/[.,:;)*_]+$/, "")
}
