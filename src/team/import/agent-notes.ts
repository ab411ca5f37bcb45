import { readSkillHeader } from "../../formats/skill.ts"
import { splitLines } from "../../formats/source-text.ts"
import { type ForeignEntry, type ForeignFile, sectionsOf } from "./foreign-entry.ts"

/** A file without its front matter, whose fields are read as text; lines keep their numbers. */
function withoutHeader({ path, text }: ForeignFile) {
  const { lines } = splitLines(text)
  const header = readSkillHeader(lines)
  const isHeader = header.form === "front-matter"
  const field = (name: string): string => {
    const value = isHeader ? header.fields.get(name)?.value : undefined
    if (value instanceof Date) return value.toISOString()
    return typeof value === "string" || typeof value === "number" ? String(value).trim() : ""
  }
  const list = (name: string) => {
    const value = isHeader ? header.fields.get(name)?.value : undefined
    return Array.isArray(value)
      ? value.map(String)
      : field(name)
          .split(/[,\s]+/)
          .filter(Boolean)
  }
  const start = isHeader ? header.bodyStart : 0
  const metadata = isHeader ? header.fields.get("metadata")?.value : undefined
  const kind = typeof metadata === "object" && metadata !== null && "type" in metadata ? String(metadata.type) : ""
  const body = lines.slice(start).join("\n").trim()
  return { path, name: nameOf(path), isHeader, field, list, type: field("type") || kind, body, line: start + 1 }
}

function nameOf(path: string): string {
  return path.replace(/^.*\/|\.md$/gi, "")
}

/** Claude Code's folder of memories: a `MEMORY.md` that lists them and one file each, or a `MEMORY.md` that holds them all. */
export function isClaudeMemory({ path, text }: ForeignFile): boolean {
  return /(?:^|\/)MEMORY\.md$/.test(path) && !isCodexMemory({ path, text })
}

/**
 * Feedback that the user gave becomes a rule to confirm, the rest memories. What Claude Code noted about the user as a person
 * is private and left out.
 */
export function readClaudeMemory(files: readonly ForeignFile[]): ForeignEntry[] {
  return files.map(withoutHeader).flatMap((file) => {
    if (file.type === "user") return []
    if (file.isHeader && file.type !== "") return [toMemory(file)]
    return sectionsOf(file.body, 2).flatMap(({ heading, line, text }): ForeignEntry[] => {
      const details = withoutIndex(text)
      if (details === "") return []
      const title = heading === "" ? file.name : heading
      return [{ ...memoryAt(file.path, file.line + line - 1, title, details), tags: ["claude-memory"] }]
    })
  })
}

type Note = ReturnType<typeof withoutHeader>

function toMemory({ path, name, field, type, body, line }: Note): ForeignEntry {
  const [text = "", ...reasons] = body.split(/^\*\*Why:\*\*[ \t]*/m)
  const [why = "", ...how] = reasons.join("").split(/^(?=\*\*How to apply:\*\*)/m)
  const details = [text.trim(), how.join("").trim()].filter(Boolean).join("\n\n")
  const isRule = type === "feedback"
  const title = isRule ? firstLine(text) : field("description") || firstLine(text) || field("name") || name
  return {
    ...memoryAt(path, line, title, details),
    type: isRule ? "directive" : "memory",
    ...(why.trim() === "" ? {} : { rationale: why.trim() }),
    tags: ["claude-memory", type],
    ...(isRule ? { review: "noted by an agent: confirm that it is a rule" } : {}),
  }
}

/** A list of links to other files is an index, whose files are read by themselves. */
function withoutIndex(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^[ \t]*[-*][ \t]+\[[^\]]*\]\([^)]*\.md\)/.test(line))
    .join("\n")
    .trim()
}

function firstLine(text: string): string {
  return (text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "")
    .replace(/[*`]/g, "")
    .trim()
}

function memoryAt(path: string, line: number, title: string, details: string): ForeignEntry {
  return {
    key: `${path}\n${title}`,
    file: path,
    line,
    type: "memory",
    title,
    ...(details === title ? {} : { details }),
    authors: [],
    tags: [],
    supersedes: [],
    extensions: [],
  }
}

/** Codex's handbook: `# Task Group: …` with preferences, knowledge and failures below it. */
export function isCodexMemory({ path, text }: ForeignFile): boolean {
  return /(?:^|\/)MEMORY\.md$/.test(path) && /^# Task Group: /m.test(text)
}

const codexSections = /^(?:user preferences|reusable knowledge|failures and how to do differently)$/i

/** Every item of the handbook is a memory; with `root`, groups that name another folder are left out. */
export function readCodexMemory(files: readonly ForeignFile[], root: string | undefined): ForeignEntry[] {
  return files.filter(isCodexMemory).flatMap(({ path, text }) => {
    let group = ""
    let isHere = true
    return sectionsOf(text, 2).flatMap((section) => {
      if (section.level === 1) {
        group = section.heading.replace(/^Task Group:\s*/, "")
        isHere = root === undefined || appliesTo(section.text, root)
      }
      if (!isHere || section.level !== 2 || !codexSections.test(section.heading)) return []
      return section.text.split("\n").flatMap((line, at): ForeignEntry[] => {
        const words = /^-[ \t]+(.+)$/
          .exec(line)?.[1]
          ?.replace(/(?:\s*\[Task \d+\])+\s*$/, "")
          .trim()
        if (words === undefined || words === "") return []
        const extensions = [
          { name: "section", value: section.heading },
          ...(group === "" ? [] : [{ name: "group", value: group }]),
        ]
        const entry = memoryAt(path, section.textLine + at, words, words)
        return [{ ...entry, key: `${group}\n${words}`, tags: ["codex-memory"], extensions }]
      })
    })
  })
}

function appliesTo(header: string, root: string): boolean {
  const folder = /^applies_to:.*?\bcwd=([^;\n]+)/m.exec(header)?.[1]?.trim()
  if (folder === undefined || !/^(?:\/|[A-Za-z]:\\)/.test(folder)) return true
  return folder === root || folder.startsWith(`${root}/`) || root.startsWith(`${folder}/`)
}

const observation = /^[-*][ \t]+\[([^\][ xX][^\][]{0,40})\][ \t]+(.+)$/

/** A note of basic-memory: front matter with a permalink, or observations `- [category] text` and `[[links]]`. */
export function isBasicMemory({ path, text }: ForeignFile): boolean {
  if (!/\.md$/i.test(path)) return false
  const head = text.slice(0, 2000)
  if (/^---\n[\s\S]*?^permalink:/m.test(head)) return true
  return text.split("\n").filter((line) => observation.test(line)).length >= 2 && /^[-*] \S.*\[\[[^\]]+\]\]/m.test(text)
}

/** Each note is a memory; its observations of the category `decision` are decisions of their own. */
export function readBasicMemory(files: readonly ForeignFile[]): ForeignEntry[] {
  return files
    .filter(isBasicMemory)
    .map(withoutHeader)
    .flatMap(({ path, name, field, list, body, line }) => {
      const title = field("title") || /^#[ \t]+(.+)$/m.exec(body)?.[1]?.trim() || name
      const decisions: ForeignEntry[] = []
      const rest = body.split("\n").filter((each, at) => {
        const [, category = "", words = ""] = observation.exec(each) ?? []
        if (category.toLowerCase() !== "decision") return true
        const text = words.replace(/(?:\s+#[\w-]+)+(?=\s*(?:\(|$))/g, "").trim()
        const tags = [...words.matchAll(/(?<=\s)#([\w-]+)/g)].map(([, tag = ""]) => tag)
        const entry = memoryAt(path, line + at, text, text)
        decisions.push({
          ...entry,
          type: "decision",
          tags: ["basic-memory", ...tags],
          extensions: [{ name: "note", value: title }],
        })
        return false
      })
      const details = rest
        .join("\n")
        .replace(/^#[ \t]+.+\n*/, "")
        .replace(/^#+[ \t]+Observations[ \t]*\n+(?=#|$)/m, "")
        .trim()
      const day = /^\d{4}-\d{2}-\d{2}/.exec(field("created") || field("date"))?.[0]
      const note: ForeignEntry = {
        ...memoryAt(path, line, title, details),
        key: field("permalink") || path,
        ...(day === undefined ? {} : { date: day }),
        tags: ["basic-memory", ...list("tags")],
      }
      return details === "" ? decisions : [note, ...decisions]
    })
}
