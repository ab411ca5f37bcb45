import type { PackedFile } from "./read-tarball.ts"

/** Something to learn from: one passage, or two that mean the same (a heading and its paragraph, a name and its description). */
export type Unit = { from: string; texts: [string] | [string, string] }

/** Cuts the documentation of one package into units, each text once. */
export function cutPackage(name: string, files: PackedFile[]): Unit[] {
  const units: Unit[] = []
  const seen = new Set<string>()
  for (const file of files) {
    const cut = file.path.endsWith(".d.ts") ? cutDeclarations(file.text) : cutMarkdown(file.text)
    for (const texts of cut) {
      const longer = texts[texts.length - 1] ?? ""
      if (!texts.every(isEnglish) || seen.has(longer)) continue
      seen.add(longer)
      units.push({ from: name, texts })
    }
  }
  return units
}

/** Whole sections of a package's guides, each under its headings: texts as long as a decision with its reasons. */
export function cutSections(name: string, files: PackedFile[]): Unit[] {
  const sections: Unit[] = []
  for (const { text } of files) {
    let headings: string[] = []
    for (const section of withoutCode(text).split(/\n(?=#{1,6} )/)) {
      const [first = "", ...rest] = section.trim().split("\n")
      const level = /^#+/.exec(first)?.[0].length ?? 1
      headings = [...headings.slice(0, level - 1), cleanMarkdown(first.replace(/^#+/, ""))]
      const body = cleanMarkdown(rest.filter((line) => !/^\s*\|/.test(line)).join("\n"))
      const whole = `${headings.filter(Boolean).slice(-2).join(": ")}. ${body}`
      if (isTitle(headings.at(-1) ?? "") && body.length > 350 && isEnglish(whole))
        sections.push({ from: name, texts: [shorten(whole, 1200)] })
    }
  }
  return sections
}

/** WordNet's data files: the words of a meaning and how it is explained, and its examples. */
export function cutWordNet(files: PackedFile[]): Unit[] {
  const units: Unit[] = []
  for (const { text } of files) {
    for (const line of text.split("\n")) {
      const [data, gloss] = line.split(" | ")
      const fields = data?.split(" ") ?? []
      if (gloss === undefined || fields.length < 6) continue
      const count = Number.parseInt(fields[3] ?? "0", 16)
      const words = Array.from({ length: count }, (_, index) => (fields[4 + 2 * index] ?? "").replace(/_/g, " "))
      const [meaning = ""] = gloss.split(/;\s*"/)
      const named = words.map((word) => word.replace(/\(\w+\)$/, "")).join(", ")
      if (/[A-Z]/.test(named) || meaning.length < 15) continue // names of people, places and species
      units.push({ from: "wordnet", texts: [named, meaning.trim()] })
      const example = /"([^"]{25,})"/.exec(gloss)?.[1]
      if (example) units.push({ from: "wordnet", texts: [example] })
    }
  }
  return units
}

type Texts = Unit["texts"]

function cutMarkdown(source: string): Texts[] {
  const cut: Texts[] = []
  const body = withoutCode(source)
  let headings: string[] = []
  for (const block of body.split(/\n\s*\n|\n(?=#{1,6} )|(?<=^#{1,6} .*)\n/gm)) {
    const heading = /^(#{1,6})\s+(.*)$/m.exec(block.trim())
    if (heading) {
      const level = (heading[1] ?? "").length
      headings = [...headings.slice(0, level - 1), cleanMarkdown(heading[2] ?? "")]
      continue
    }
    if (/^\s*\|/.test(block)) continue
    const items = block.split(/\n(?=\s*(?:[-*+]|\d+\.)\s)/).map(cleanMarkdown)
    const whole = cleanMarkdown(block)
    const title = headings.filter(Boolean).slice(-2).join(": ")
    const nearest = headings.at(-1) ?? ""
    if (items.length === 1 && isTitle(nearest) && whole.length > 60) cut.push([title, shorten(whole, 700)])
    else if (items.length > 1 && whole.length > 80) cut.push([shorten(whole, 900)])
    for (const item of items) for (const sentence of sentencesOf(item)) cut.push([sentence])
  }
  return cut
}

function withoutCode(source: string): string {
  return source
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, "\n")
    .replace(/<!--[\s\S]*?-->/g, "")
}

/** Headings like "1.2.3 (2024-01-01)" or "Patch Changes" say nothing about what follows. */
function isTitle(heading: string): boolean {
  return (
    /[a-z]{3,} [a-z]{2,}|[a-z]{5,}/i.test(heading) && !/\d+\.\d+|changes|features|bug ?fixes|license/i.test(heading)
  )
}

function cleanMarkdown(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/<[^>\n]{1,200}>/g, " ")
    .replace(/https?:\/\/\S+/g, "")
    .replace(/^\s*(?:[-*+>]|\d+\.)\s+/gm, "")
    .replace(/\(\s*(?:#\d+|[0-9a-f]{7,40})\s*\)|\b[0-9a-f]{7,40}:?\s/g, "")
    .replace(/[*_]{1,3}(\S[^*_\n]*?)[*_]{1,3}/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
}

function cutDeclarations(source: string): Texts[] {
  const cut: Texts[] = []
  for (const match of source.matchAll(/\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*([^\n]*)/g)) {
    const lines = (match[1] ?? "").replace(/^\s*\* ?/gm, "").replace(/(```)[\s\S]*?(```|$)/g, "")
    const [description = ""] = lines.split(/\n\s*@|^@/)
    const text = cleanMarkdown(description.replace(/\{@\w+\s+([^}|]*)[^}]*\}/g, "$1"))
    if (text.length < 25) continue
    const name =
      /^(?:export |declare |readonly |static |abstract |async |get |set |public |protected )*(?:function|class|interface|type|const|let|enum|namespace)?\s*["']?([A-Za-z][\w$]{5,})["']?/.exec(
        match[2] ?? "",
      )?.[1]
    const words = name ? splitName(name) : ""
    if (words.includes(" ")) cut.push([words, shorten(text, 700)])
    else cut.push([shorten(text, 500)])
    const sentences = sentencesOf(text)
    if (sentences.length > 1) for (const sentence of sentences) cut.push([sentence])
  }
  return cut
}

function splitName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/[_$]+/g, " ")
    .trim()
    .toLowerCase()
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?:;])\s+(?=[A-Z"'`(])/)
    .filter((sentence) => sentence.length >= 15 && sentence.length <= 400)
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, text.lastIndexOf(" ", length))
}

function isEnglish(text: string): boolean {
  const letters = text.match(/[a-zA-Z ]/g)?.length ?? 0
  return text.length >= 4 && letters / text.length > 0.75 && /[a-z]{3}/i.test(text)
}
