/** One program with its words, quotes taken off; `joint` is the operator behind it, which decides whose exit code the line has. */
export type Command = { words: string[]; joint: "&&" | "||" | ";" | "|" | "&" | "" }

const longestLine = 4000

/**
 * The programs a command line runs, in their order: of bash and its kin and of PowerShell, as far as what ran can be told without
 * running it. Redirections, here-documents and comments are left out.
 */
export function splitCommand(line: string): Command[] {
  const text = line.length > longestLine ? line.slice(0, longestLine) : line
  const commands: Command[] = []
  let words: string[] = []
  let word = ""
  let isQuoted = false
  let at = 0

  const endWord = () => {
    if (word !== "" || isQuoted) words.push(word)
    word = ""
    isQuoted = false
  }
  const endCommand = (joint: Command["joint"]) => {
    endWord()
    if (words.length > 0) commands.push({ words, joint })
    else if (joint === "|" || joint === "&&" || joint === "||") setJoint(commands.at(-1), joint)
    words = []
  }

  while (at < text.length) {
    const character = text.charAt(at)
    const next = text.charAt(at + 1)
    if (character === "\\" && escapable.includes(next)) {
      if (next !== "\n") word += next
      at += 2
    } else if (character === "'" || character === '"') {
      const end = endOfQuote(text, at)
      word += text.slice(at + 1, end)
      isQuoted = true
      at = end + 1
    } else if (character === "`" || (character === "$" && next === "(") || (character === "<" && next === "(")) {
      const end = endOfSubstitution(text, at)
      word += text.slice(at, end)
      at = end
    } else if (character === "#" && word === "" && !isQuoted) {
      at = endOfLine(text, at)
    } else if (character === "<" && next === "<" && text.charAt(at + 2) !== "<") {
      endWord()
      at = endOfHereDocument(text, at)
    } else if (character === ">" || character === "<" || (character === "&" && next === ">")) {
      if (/^\d?$/.test(word)) word = ""
      endWord()
      at = endOfRedirection(text, at)
    } else if (character === "&" || character === "|") {
      const isDouble = next === character
      if (character === "&" && !isDouble && words.length === 0 && word === "") at++
      else {
        endCommand(character === "&" ? (isDouble ? "&&" : "&") : isDouble ? "||" : "|")
        at += isDouble || (character === "|" && next === "&") ? 2 : 1
      }
    } else if (character === ";" || character === "\n") {
      endCommand(";")
      at++
    } else if (character === "(" || character === ")") {
      if (character === ")" || word === "") endCommand(character === ")" ? "" : ";")
      else word += character
      at++
    } else if (character === " " || character === "\t" || character === "\r") {
      endWord()
      at++
    } else {
      word += character
      at++
    }
  }
  endCommand("")
  return commands.map(withoutKeywords).filter(({ words }) => words.length > 0)
}

/** What a backslash takes the meaning from; before anything else it is a part of a Windows path. */
const escapable = " \t\n\"'\\$`&|;<>()"

function setJoint(command: Command | undefined, joint: Command["joint"]): void {
  if (command !== undefined) command.joint = joint
}

function endOfQuote(text: string, start: number): number {
  const quote = text.charAt(start)
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === "\\") at++
    else if (text.charAt(at) === quote) return at
  }
  return text.length
}

function endOfSubstitution(text: string, start: number): number {
  if (text.charAt(start) === "`") {
    const end = text.indexOf("`", start + 1)
    return end === -1 ? text.length : end + 1
  }
  let depth = 0
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "'" || character === '"') at = endOfQuote(text, at)
    else if (character === "(") depth++
    else if (character === ")" && --depth === 0) return at + 1
  }
  return text.length
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start)
  return end === -1 ? text.length : end
}

/** Behind the word that ends it; what stands on the line of its beginning still belongs to the command. */
function endOfHereDocument(text: string, start: number): number {
  const delimiter = /^<<-?\s{0,4}(?:'([^'\n]{1,80})'|"([^"\n]{1,80})"|\\?([\w.-]{1,80}))/.exec(
    text.slice(start, start + 100),
  )
  if (delimiter === null) return start + 2
  const name = delimiter[1] ?? delimiter[2] ?? delimiter[3] ?? ""
  let line = endOfLine(text, start)
  while (line < text.length) {
    const end = endOfLine(text, line + 1)
    if (text.slice(line + 1, end).trim() === name) return end
    line = end
  }
  return text.length
}

function endOfRedirection(text: string, start: number): number {
  let at = start
  while (at < text.length && "&<>|".includes(text.charAt(at))) at++
  while (text.charAt(at) === " ") at++
  const first = text.charAt(at)
  if (first === "'" || first === '"') return endOfQuote(text, at) + 1
  while (at < text.length && !" \t\n;|&()<>".includes(text.charAt(at))) at++
  return at
}

/** The words of the shell itself that may stand before a program. */
function withoutKeywords({ words, joint }: Command): Command {
  const first = words.findIndex((word) => !keywords.has(word))
  return { words: first === -1 ? [] : words.slice(first), joint }
}

const keywords = new Set(["do", "done", "then", "else", "fi", "if", "while", "until", "!", "{", "}", "&", "time"])
