import type { EntryType } from "../../formats/entry.ts"
import { cutAtWord, firstSentence } from "../../formats/legacy/summary.ts"
import { findFences } from "../../formats/markdown.ts"
import { isBlank } from "../../formats/source-text.ts"
import { type ForeignEntry, type ForeignFile, sectionsOf } from "./foreign-entry.ts"

/** Reads rules from CLAUDE.md, AGENTS.md and similar files: every meaningful bullet, and imperative sentences. */
export function readRules(files: readonly ForeignFile[]): ForeignEntry[] {
  const rules = files.flatMap(({ path, text }) =>
    sectionsOf(text, 6).flatMap((section) =>
      unitsOf(section.text)
        .filter(({ kind, text: unit }) => (kind === "bullet" ? saysSomething(unit) : isImperative(unit)))
        .map((unit) => toRule(path, section.heading, section.textLine + unit.line - 1, unit.text)),
    ),
  )
  const seen = new Set<string>()
  return rules.filter(({ key }) => !seen.has(key) && seen.add(key))
}

type Unit = { kind: "bullet" | "sentence"; line: number; text: string }

const bullet = /^(?:[-*+]|\d{1,3}[.)])[ \t]+/

/** Top-level bullets with everything indented below them, and the sentences of paragraphs. */
function unitsOf(text: string): Unit[] {
  const lines = text.split("\n")
  const { fenced } = findFences(lines)
  const units: Unit[] = []
  let open: Unit | undefined
  let paragraph: Unit | undefined
  const close = () => {
    if (paragraph) units.push(...sentencesOf(paragraph))
    open = undefined
    paragraph = undefined
  }
  for (const [index, line] of lines.entries()) {
    if (!fenced[index] && bullet.test(line)) {
      close()
      open = { kind: "bullet", line: index + 1, text: line.replace(bullet, "") }
      units.push(open)
    } else if (open && (fenced[index] || isBlank(line) || /^[ \t]/.test(line) || !isBlank(lines[index - 1] ?? "")))
      open.text += `\n${line.replace(/^ {2}/, "")}`
    else if (fenced[index] || isBlank(line) || /^[|<>@]/.test(line)) close()
    else if (paragraph) paragraph.text += ` ${line.trim()}`
    else {
      close()
      paragraph = { kind: "sentence", line: index + 1, text: line.trim() }
    }
  }
  close()
  return units
}

function sentencesOf({ line, text }: Unit): Unit[] {
  return text
    .split(/(?<=[.!?])\s+(?=[\p{Lu}`*"])/u)
    .map((sentence): Unit => ({ kind: "sentence", line, text: sentence.trim() }))
}

/** A lone path, command or link is not a rule. */
function saysSomething(text: string): boolean {
  const words = text.replace(/`[^`]*`|\[[^\]]*\]\([^)]*\)|https?:\S+/g, "").match(/\p{L}{2,}/gu) ?? []
  return words.length >= 2
}

const verbs =
  "add|always|annotate|ask|avoid|call|check|commit|create|default to|delete|disable|do|document|don['’]t|enable|ensure|fix|follow|format|handle|ignore|import|include|keep|leave|limit|log|make|mark|mock|move|must|name|never|only|pass|place|prefer|put|read|refer|remove|rename|replace|respect|return|reuse|run|set|stick|stop|store|test|throw|treat|update|use|validate|verify|wrap|write"
const imperative = new RegExp(`^(?:please[ ,]+|\\*\\*|IMPORTANT: *|CRITICAL: *|NOTE: *|YOU )*(?:${verbs})\\b`, "i")

function isImperative(sentence: string): boolean {
  return (
    imperative.test(sentence) || /\b(?:must(?: not)?|should (?:always|never|not)|do not|never|always)\b/i.test(sentence)
  )
}

function toRule(file: string, section: string, line: number, text: string): ForeignEntry {
  const body = text.trimEnd()
  const title = cutAtWord(firstSentence(body) || body.split("\n", 1)[0] || body)
  const isWhole = body.replace(/[*`]/g, "").trim() === title
  return {
    key: `${file}\n${body}`,
    file,
    line,
    type: "directive",
    title,
    ...(isWhole ? {} : { details: body }),
    authors: [],
    tags: ["rules"],
    supersedes: [],
    review: "imported rule, not confirmed by a person",
    extensions: section === "" ? [] : [{ name: "section", value: section }],
  }
}

/** The entry type for each file of a memory bank: learnings become memories, project descriptions notes. */
const typeByFile: Record<string, EntryType> = {
  projectbrief: "note",
  productcontext: "note",
  activecontext: "note",
  progress: "note",
  systempatterns: "memory",
  techcontext: "memory",
}

/** Reads Cline's memory bank: six files whose sections become entries. */
export function readCline(files: readonly ForeignFile[]): ForeignEntry[] {
  return files.flatMap(({ path, text }) => {
    const name = bankFile(path)
    const type = typeByFile[name.toLowerCase()]
    if (type === undefined) return []
    return sectionsOf(text, 2)
      .filter((section) => section.text.trim() !== "")
      .map(({ heading, line, text: details }): ForeignEntry => {
        const title = heading === "" ? name : `${name}: ${heading}`
        const base = { file: path, line, type, title, details, authors: [], supersedes: [], extensions: [] }
        return { key: `${path}\n${heading}`, tags: ["memory-bank", name], ...base }
      })
  })
}

export function isClineFile({ path }: ForeignFile): boolean {
  return bankFile(path).toLowerCase() in typeByFile
}

function bankFile(path: string): string {
  return path.replace(/^.*\/|\.md$/gi, "")
}
