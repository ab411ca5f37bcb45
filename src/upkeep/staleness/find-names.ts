import { commandsIn } from "./commands-in.ts"
import { cutCode } from "./cut-code.ts"
import type { Name } from "./name.ts"
import { pathsInCode, pathsInProse } from "./paths-in.ts"
import { symbolIn } from "./symbol-in.ts"

const mostNames = 100

/** The files, commands and symbols that a text names, each once, those in code first. */
export function findNames(text: string): Name[] {
  const { prose, spans, fenced } = cutCode(text)
  const found = new Map<string, Name>()
  const speaking = new Map<string, boolean>()
  const add = (name: Omit<Name, "told">, sentence: string) => {
    const key = `${name.kind} ${keyOf(name as Name)}`
    const told = speaking.get(sentence) ?? speaksOfChange(sentence)
    speaking.set(sentence, told)
    const known = found.get(key)
    if (known) known.told ||= told
    else if (found.size < mostNames) found.set(key, { ...name, told } as Name)
  }
  for (const { code, sentence } of spans) {
    const commands = commandsIn(code)
    for (const name of commands) add(name, sentence)
    const paths = pathsInCode(code)
    for (const name of paths) add(name, sentence)
    const symbol = commands.length + paths.length === 0 ? symbolIn(code) : undefined
    if (symbol) add(symbol, sentence)
  }
  for (const line of fenced) for (const name of commandsIn(line.replace(/^\s*[$>]\s+/, ""))) add(name, "")
  for (const sentence of prose) for (const name of pathsInProse(sentence)) add(name, sentence)
  return [...found.values()]
}

function keyOf(name: Name): string {
  if (name.kind === "path") return name.path
  return name.kind === "command" ? `${name.runner} ${name.target}` : name.words.join(".")
}

const change =
  /\b(?:remov|delet|renam|relocat|replac|deprecat|migrat|supersed|retir|extract|obsolete|legacy|former|consolidat|(?:mov|split)(?:e|es|ed|ing|ting)?\b|dropp?(?:ed|s|ing)?\b|merged into|no longer|(?:chang|switch|swap)\w* (?:from|to)\b|instead of|rather than|used to\b|gone\b|old\b|previous)/i
const becomes = /`\s*(?:→|⇒|->|=>)|(?:→|⇒|->|=>)\s*`/

/** A sentence that says something was moved or removed needs no note. Words inside the names do not count. */
function speaksOfChange(sentence: string): boolean {
  return becomes.test(sentence) || change.test(sentence.replace(/`[^`]*`/g, " ").replace(/\S*[/\\]\S*/g, " "))
}
