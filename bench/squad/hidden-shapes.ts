import { alnum, base64, digits, hex } from "../../test/canaries.ts"
import type { Shapes } from "./shapes.ts"

const github = () => ["gh", "p_", alnum(36)].join("")
const openai = () => ["s", "k-proj-", alnum(60)].join("")
const stripe = () => ["sk", "_live_", alnum(40)].join("")
const password = () => `password=${["Ferret", "!"].join(digits(3))}x`
const every = (text: string, put: (character: string) => string) => [...text].map(put).join("")
const code = (character: string) => character.charCodeAt(0)
const cut = (text: string, join: string, pieces = 3) => {
  const size = Math.ceil(text.length / pieces)
  return Array.from({ length: pieces }, (_, at) => text.slice(at * size, (at + 1) * size)).join(join)
}
const encode = (text: string, how: BufferEncoding = "base64") => Buffer.from(text).toString(how)
const wide = (text: string) =>
  every(text, (character) => (/[!-~]/.test(character) ? String.fromCharCode(code(character) + 0xfee0) : character))

/** Secrets that only show when the text is read or run. */
export const hiddenShapes: Shapes = {
  tuned: {
    "zero-width space": () => cut(github(), "\u200b"),
    "zero-width joiner": () => cut(openai(), "\u200d"),
    fullwidth: () => wide(github()),
    "\\u escapes": () => every(github(), (character) => `\\u${code(character).toString(16).padStart(4, "0")}`),
    base64: () => encode(github()),
    percent: () => every(github(), (character) => `%${code(character).toString(16)}`),
    concatenation: () => `"${cut(github(), '" + "')}"`,
    "split lines": () => cut(openai(), "\n    "),
    "backslash lines": () => cut(github(), "\\\n", 2),
    reversed: () => [...github()].reverse().join(""),
    "glued to a word": () => `token${github()}`,
    "soft hyphen": () => cut(stripe(), "\u00ad"),
    "bidi mark": () => cut(stripe(), "\u202e"),
    "variation selector": () => cut(github(), "\ufe0f"),
    "\\x escapes": () => every(stripe(), (character) => `\\x${code(character).toString(16)}`),
    entities: () => every(github(), (character) => `&#${code(character)};`),
    hexadecimal: () => encode(github(), "hex"),
  },
  heldOut: {
    "word joiner": () => cut(openai(), "\u2060"),
    "byte order mark": () => cut(stripe(), "\ufeff"),
    "tag characters": () => cut(github(), "\u{e0041}"),
    "control character": () => cut(github(), "\u0001"),
    "terminal colour": () => cut(github(), "\u001b[31m", 2),
    "fullwidth password": () => wide(password()),
    "mathematical letters": () =>
      every(github(), (character) =>
        /[a-z]/.test(character) ? String.fromCodePoint(0x1d5ba + code(character) - 97) : character,
      ),
    "\\u{} escapes": () => every(stripe(), (character) => `\\u{${code(character).toString(16)}}`),
    "hexadecimal entities": () => every(openai(), (character) => `&#x${code(character).toString(16)};`),
    "named entity": () => github().replace("_", "&lowbar;"),
    "percent in part": () => stripe().replaceAll("_", "%5F"),
    "percent twice": () => github().replace("_", "%255F"),
    base64url: () => encode(openai(), "base64url"),
    "base64 of a password": () => encode(`db ${password()} and more`),
    "base64 twice": () => encode(encode(github())),
    "base64 over lines": () => cut(encode(`token ${openai()} for the build`), "\n", 2),
    "base64 of UTF-16": () => Buffer.from(github(), "utf16le").toString("base64"),
    "hexadecimal upper case": () => encode(openai(), "hex").toUpperCase(),
    "single quotes and dots": () => `'${cut(openai(), "' . '")}'`,
    "strings side by side": () => `"${cut(stripe(), '" "')}"`,
    "strings over lines": () => `"${cut(github(), '" +\n  "')}"`,
    "joined list": () => `["${cut(github(), '", "')}"].join("")`,
    "quotes of the shell": () => cut(github(), "''"),
    "concatenated password": () => `password = "Ferr" + "et!${digits(3)}xy"`,
    "quoted lines": () => cut(openai(), "\n> "),
    "lines of comments": () => cut(github(), "\n# ", 2),
    "split AWS key": () => cut(["AK", "IA", hex(16).toUpperCase()].join(""), "\n  ", 2),
    "reversed OpenAI": () => [...openai()].reverse().join(""),
    "reversed in a sentence": () => `Read it backwards: ${[...stripe()].reverse().join("")}.`,
    "glued in front": () => `mykey${openai()}`,
    "glued behind": () => `${github()}isthetoken`,
    "spaced out": () => [...github()].join(" "),
    "look-alike letter": () => github().replace("p_", "р_"),
    "zero-width in a password": () => `pass\u200bword: Fer\u200bret!${digits(4)}`,
    "escaped JSON": () => JSON.stringify({ note: JSON.stringify({ token: github() }) }),
    "PEM in base64 lines": () =>
      cut(encode(`-----BEGIN PRIV${"ATE KEY"}-----\n${base64(64)}\n${base64(64)}\n`), "\n", 4),
  },
}
