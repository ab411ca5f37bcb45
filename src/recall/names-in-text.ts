/** Whether a text brings a name in: as a whole, and one that is also a plain word only where code would have it. */
export function holdsName(text: string, words: ReadonlySet<string>, name: string): boolean {
  if (!mayHold(words, name)) return false
  return isPlainWord(name) ? inCode(name).test(text) : holdsWhole(text, name)
}

/** Whether a text imports a package, or something below it. */
export function importsPackage(text: string, words: ReadonlySet<string>, name: string): boolean {
  if (!mayHold(words, name)) return false
  const written = literal(name)
  return new RegExp(
    `["'\`]${written}(?:/[^"'\`\\n]{0,200})?["'\`]|^\\s{0,20}(?:import|from|use) ${written}\\b`,
    "m",
  ).test(text)
}

/** Most texts hold not even the first word of most names. */
function mayHold(words: ReadonlySet<string>, name: string): boolean {
  const [first] = /[\w$]+/.exec(name) ?? []
  return first !== undefined && words.has(first)
}

function holdsWhole(text: string, name: string): boolean {
  const isWord = (character: string) => /[\w$]/.test(character)
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + name.length)
    const joins = (isWord(before) && isWord(name.charAt(0))) || (isWord(after) && isWord(name.charAt(name.length - 1)))
    if (!joins) return true
  }
  return false
}

function isPlainWord(name: string): boolean {
  return /^[a-z]+$/.test(name)
}

/** A call, a member, a type, a generic: `eval(`, `moment.`, `: any`, `<any>`, `as any`. */
function inCode(name: string): RegExp {
  return new RegExp(
    `(?<![\\w$.])${name}\\(|(?<![\\w$.])${name}\\.[a-z]|[:<|] ?${name}\\b(?! [a-z])|\\bas ${name}\\b(?! [a-z])`,
  )
}

function literal(text: string): string {
  return text.replace(/[\\^$.*|?+()[\]{}/]/g, "\\$&")
}
