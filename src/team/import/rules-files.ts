import { dirname } from "node:path/posix"
import type { EntryType } from "../../formats/entry.ts"
import { cutAtWord } from "../../formats/legacy/summary.ts"
import { findFences } from "../../formats/markdown.ts"
import { readSkillHeader } from "../../formats/skill.ts"
import { isBlank, splitLines } from "../../formats/source-text.ts"
import { isRulesFile, parsePathPrefix } from "../../formats/text.ts"
import { type ForeignEntry, type ForeignFile, sectionsOf } from "./foreign-entry.ts"
import { isCondition, isProhibition, isRule, plain, type Subject, subjectOf } from "./rule-sentences.ts"

/** Reads the rules in CLAUDE.md, AGENTS.md and similar files; descriptions, commands, code and tables are left out. */
export function readRules(files: readonly ForeignFile[]): ForeignEntry[] {
  const seen = new Set<string>()
  return files.flatMap(rulesOf).filter(({ key, title }) => {
    const words = `${title}\n${key.slice(key.indexOf("\n"))}`
    return !seen.has(words) && seen.add(words)
  })
}

/** The files that a rules file imports by `@path`, and the rules file that a mere pointer such as "See AGENTS.md" names. */
export function pointsTo(text: string): string[] {
  const { lines } = splitLines(text)
  const { fenced } = findFences(lines)
  const own = lines.filter((line, at) => !fenced[at] && !isBlank(line) && !/^#|^---/.test(line))
  const imports = own.flatMap((line) => [
    ...line.replace(/`[^`]*`/g, "").matchAll(/(?:^|\s)@(\.{0,2}[\w./-]+\.(?:mdc?|txt))\b/g),
  ])
  const isPointer = own.join(" ").length <= 400 && own.length <= 6
  const named = isPointer
    ? [...own.join(" ").matchAll(/([\w./-]+\.mdc?)\b/g)].filter(([, path = ""]) => isRulesFile(path))
    : []
  return [...new Set([...imports, ...named].map(([, path = ""]) => path))]
}

function rulesOf({ path, text }: ForeignFile): ForeignEntry[] {
  const { lines } = splitLines(text)
  const header = readSkillHeader(lines)
  const start = header.form === "front-matter" ? header.bodyStart : 0
  const body = [...lines.slice(0, start).map(() => ""), ...lines.slice(start)].join("\n") // lines keep their numbers
  const scope = pathOf(path, lines.slice(0, start).join("\n"))
  const above: { level: number; heading: string; subject: Subject }[] = []
  return sectionsOf(body, 6).flatMap(({ heading, level, text: section, textLine }) => {
    while ((above.at(-1)?.level ?? 0) >= Math.max(level, 1)) above.pop()
    const title = plain(heading)
    const subject = subjectOf(title) ?? above.at(-1)?.subject ?? "plain"
    if (level > 0) above.push({ level, heading: title, subject: level === 1 ? "plain" : subject })
    const around = { subject, isForbidden: isProhibition(heading), condition: conditionOf(`${heading}:`) }
    return joinSteps(blocksOf(section), around.condition).flatMap((block) =>
      rulesIn(block, around).map((rule) =>
        toRule({ ...rule, file: path, section: title, line: textLine + rule.line - 1, scope }),
      ),
    )
  })
}

/** A paragraph, or a list item with the items below it; `leadIn` is the line that ends with a colon above a list. */
type MarkdownBlock = {
  kind: "paragraph" | "bullet" | "step" | "procedure"
  line: number
  text: string
  leadIn: string
  items: MarkdownBlock[]
}

/** The numbered steps below "Before pushing:" are one rule. */
function joinSteps(blocks: readonly MarkdownBlock[], condition: string): MarkdownBlock[] {
  const joined: MarkdownBlock[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    const isConditional = block.kind === "step" && (conditionOf(block.leadIn) || condition) !== ""
    if (!isConditional) joined.push(block)
    else if (last?.kind === "procedure" && last.leadIn === block.leadIn) last.items.push(block)
    else joined.push({ ...block, kind: "procedure", text: block.leadIn || condition, items: [block] })
  }
  return joined
}

function conditionOf(text: string): string {
  return isCondition(text) ? unmarked(text) : ""
}

const marker = /^([ \t]*)([-*+•]|\d{1,3}[.)])[ \t]+(.*)$/

function blocksOf(text: string): MarkdownBlock[] {
  const lines = text.split("\n")
  const { fenced } = findFences(lines)
  const blocks: MarkdownBlock[] = []
  const open: { indent: number; block: MarkdownBlock }[] = []
  let paragraph: MarkdownBlock | undefined
  let leadIn = ""
  for (const [index, line] of lines.entries()) {
    const item = fenced[index] ? null : marker.exec(line)
    if (item) {
      const [, indent = "", sign = "", words = ""] = item
      const above = blocks.at(-1)
      if (above?.kind === "paragraph") leadIn = /:$/.test(plain(above.text)) ? above.text : ""
      paragraph = undefined
      const kind = /\d/.test(sign) ? "step" : "bullet"
      while ((open.at(-1)?.indent ?? -1) >= indent.length) open.pop()
      const parent = open.at(-1)?.block
      const block: MarkdownBlock = { kind, line: index + 1, text: words, leadIn: parent?.text ?? leadIn, items: [] }
      ;(parent?.items ?? blocks).push(block)
      open.push({ indent: indent.length, block })
    } else if (fenced[index] || /^[ \t]*(?:\||<!--|<\/?[a-z]|@\S+$|[-*_]{3,}[ \t]*$)/i.test(line)) {
      paragraph = undefined
      if (!/^[ \t]/.test(line)) open.length = 0
    } else if (isBlank(line)) {
      paragraph = undefined
      if (open.length > 0 && !/^[ \t]/.test(lines[index + 1] ?? "") && !marker.test(lines[index + 1] ?? ""))
        open.length = 0
    } else if (
      open.length > 0 &&
      !/^[ \t]*>/.test(line) &&
      (/^[ \t]/.test(line) || (!isBlank(lines[index - 1] ?? "") && !line.trimEnd().endsWith(":")))
    ) {
      const { block } = open.at(-1) as { block: MarkdownBlock }
      block.text += ` ${line.trim()}`
    } else {
      const words = line.replace(/^[ \t]*(?:>[ \t]*)+/, "").trim()
      open.length = 0
      if (paragraph) paragraph.text += ` ${words}`
      else {
        paragraph = { kind: "paragraph", line: index + 1, text: words, leadIn: "", items: [] }
        blocks.push(paragraph)
      }
    }
  }
  return blocks
}

type Rule = { line: number; title: string; details: string }

type Around = { subject: Subject; isForbidden: boolean; condition: string }

function rulesIn(block: MarkdownBlock, around: Around): Rule[] {
  const { kind, line, text, items, leadIn } = block
  if (kind === "paragraph") return rulesInParagraph(block, around)
  if (kind === "procedure") {
    const title = `${unmarked(text)} ${items.map((step) => unmarked(step.text).replace(/[.:]$/, "")).join("; ")}`
    return [{ line, title, details: withItems(text, items) }]
  }
  if (/^\[[^\]]+\]\([^)]*\)\*{0,2}\s*(?:[:–—-]|$)/.test(text)) return [] // a link with its description
  const isForbidden = around.isForbidden || isProhibition(leadIn)
  const condition = conditionOf(leadIn) || around.condition
  const isStep = kind === "step" && !isForbidden
  const place = { subject: around.subject, isStep, isBullet: true, hasContext: condition !== "" }
  const { label, rest } = labelOf(text)
  const sentences = sentencesOf(rest)
  const found = sentences.find((sentence) => isRule(sentence, place))
  const below = () =>
    items.flatMap((item) => rulesIn(item, { ...around, isForbidden: isForbidden || isProhibition(text) }))
  if (found === undefined && isForbidden && isForbiddable(text)) {
    const title = `Avoid: ${plain(text)}`
    return [{ line, title, details: withItems(title, items) }]
  }
  if (found === undefined) return below()
  const named =
    label && !found.startsWith(label) && sentences[0] === found ? `${label}: ${plain(found)}` : unmarked(found)
  const title = condition === "" ? named : `${condition} ${named}`
  return [{ line, title, details: withItems(condition === "" ? text : `${condition} ${text}`, items) }]
}

/** Without marks of emphasis, but with every word, unlike `plain`. */
function unmarked(text: string): string {
  return text
    .replace(/(`[^`]*`)|\*\*|__/g, "$1")
    .replace(/^[^\p{L}\p{N}`"'“([{<@#$./~_-]+/u, "")
    .trim()
}

/** Adjacent rules of a paragraph are one rule; one that begins with "It" or "This" needs the sentence before it. */
function rulesInParagraph({ line, text }: MarkdownBlock, { subject }: Around): Rule[] {
  const rules: { sentences: string[] }[] = []
  let isOpen = false
  for (const sentence of sentencesOf(text)) {
    const isOne = isRule(sentence, { subject, isStep: false, isBullet: false })
    if (isOne && isOpen) rules.at(-1)?.sentences.push(sentence)
    else if (isOne) rules.push({ sentences: [sentence] })
    isOpen = isOne
  }
  return rules.map(({ sentences }) => ({ line, title: unmarked(sentences[0] ?? ""), details: sentences.join(" ") }))
}

function sentencesOf(text: string): string[] {
  return text
    .split(
      /(?<=[.!?。！？](?:\*\*|`|\)|")?)(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl)\.)(?:\s+(?=[\p{Lu}`*"([❌✅⚠]|\p{Lo})|(?<=[。！？]))/u,
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
}

/** `**Naming**: Use camelCase` and `Naming: use camelCase` have a label. */
function labelOf(text: string): { label: string; rest: string } {
  const [, bold, sign, short] =
    /^[^\p{L}\p{N}*`]*(?:\*\*([^*]{2,60}?)(?:\*\*\s*([:–—-])|(?::)\*\*)\s+|([\p{Lu}][\p{L} /&-]{2,30}):\s+(?=[\p{L}`"]))/u.exec(
      text,
    ) ?? []
  const label = bold ?? short
  if (label !== undefined && explains.test(label)) return { label, rest: "" }
  if (label === undefined || /^(?:important|critical|note|warning|always|never)$/i.test(label))
    return { label: "", rest: text }
  // "**Use `ctx.log`** for logging" has none, "**Never commit secrets** — rotate them" is a sentence by itself
  const at = text.indexOf(label) + label.length
  const rest = text.slice(at).replace(/^(?:\*\*)?\s*[:–—-]?\s*(?:\*\*)?\s*[:–—-]?\s*/, "")
  return sign !== ":" && bold !== undefined && isRule(bold, { subject: "rules", isStep: false, isBullet: true })
    ? { label: "", rest: text }
    : { label: plain(label), rest }
}

/** Labels of an explanation. */
const explains =
  /^(?:description|notes?|usage|examples?|command|syntax|cli|purpose|parameters?|options?|alternative|output|returns?|location|path|file|what|why|when|where|how|who|problem|cause|symptom|reason|rationale|context|status|result|benefits?|features?|goal|legacy)\b/i

/** Whether an item below "Don't" reads as the forbidden thing itself. */
function isForbiddable(text: string): boolean {
  return /\p{L}{2,}.*\p{L}{2,}/u.test(text.replace(/`[^`]*`/g, "")) && !/[:?]$/.test(plain(text))
}

function withItems(text: string, items: readonly MarkdownBlock[]): string {
  const list = (blocks: readonly MarkdownBlock[], indent: string): string[] =>
    blocks.flatMap((block) => [`${indent}- ${block.text}`, ...list(block.items, `${indent}  `)])
  return [text, ...list(items, "")].join("\n")
}

type FoundRule = Rule & { file: string; section: string; scope: string | undefined }

function toRule({ file, section, line, title, details, scope }: FoundRule): ForeignEntry {
  const short = cutAtWord(title.replace(/`/g, ""))
  const isWhole = details.replace(/[*`]/g, "").trim() === short
  const extensions = [
    ...(section === "" ? [] : [{ name: "section", value: section }]),
    ...(scope === undefined ? [] : [{ name: "path", value: scope }]),
  ]
  return {
    key: `${file}\n${details}`,
    file,
    line,
    type: "directive",
    title: short,
    ...(isWhole ? {} : { details }),
    authors: [],
    tags: ["rules"],
    supersedes: [],
    review: "imported rule: confirm that it applies",
    extensions,
  }
}

/** The folder that a file's rules are limited to: by its own globs, or because a nested AGENTS.md is for its folder. */
function pathOf(path: string, header: string): string | undefined {
  const listed = /^(?:globs|applyTo|paths|fileMatchPattern):[ \t]*(.*(?:\n[ \t]+-.*)*)/m.exec(header)?.[1] // often no valid YAML: `globs: **/*.ts`
  const globs = listed?.split(/[\n,[\]]/).map((glob) => glob.replace(/^[ \t]*(?:-[ \t]+)?["']?|["'\s]+$/g, "")) ?? []
  if (globs.some((glob) => glob !== "")) {
    const folders = globs.filter((glob) => glob !== "").map((glob) => glob.replace(/(?:^|\/)[^/]*[*?{].*$/, ""))
    return new Set(folders).size === 1 ? parsePathPrefix(folders[0] ?? "") : undefined
  }
  const isNested = /(?:^|\/)(?:agents?|claude|gemini)(?:\.local)?\.md$/i.test(path)
  return isNested && !/^\.[^/]+\/[^/]+$/.test(path) ? parsePathPrefix(dirname(path)) : undefined
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
