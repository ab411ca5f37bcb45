/** Headings that group or structure and never start an entry by themselves. */
const sections = new Set(
  `active decisions|current decisions|pending decisions|recent decisions|merged decisions|archived decisions|team decisions|squad decisions|decisions|decision log
  |governance|archive|archived|index|table of contents|contents|overview|format|template|how to use|learnings|project context|core context|team updates|patterns|issues`
    .split("|")
    .map((name) => name.trim()),
)

/** The headings SquadUI passes over, because they are what people write inside a decision. */
export const squadUiStopList: ReadonlySet<string> = new Set(
  `context|decision|decisions|rationale|impact|alternatives considered|implementation details|implementation|members|alumni|@copilot|location
  |action required|open questions|open questions / risks|related issues|success metrics|scope decision|directive|problem statement|data flow analysis
  |root cause|the design gap|what should happen|recommended fix|test cases to add|files to modify|for linus|implementation phases|sprint goal
  |context & opportunity|work items|risks & open questions|next steps|outcome|success criteria|vision|core features|overview|goals|non-goals|assumptions
  |constraints|background|summary|appendix|references|changelog|history|todo|notes`
    .split("|")
    .map((name) => name.trim()),
)

const profileSections = new Set(["project context", "core context"])
const historySections = new Set(
  "learnings|project context|core context|decisions|context|patterns|issues|references|team updates|summary of archived entries".split(
    "|",
  ),
)

export function isSectionName(title: string): boolean {
  return sections.has(plain(title))
}

/** `P1`, `Phase 2: House`, `WI-5`, `Option B`, `Decision Rationale`: parts of what the entry above says. */
const partOfPlan =
  /^(?:P\d\b|(?:WI|work item|task)[- ]#?\d|decision (?:rationale|drivers?|context|criteria|matrix|summary|outcome|details)[\s:]*$|(?:phase|step|stage|part|option|alternative|milestone|appendix|wave)\s+(?:\d|[A-Z]\b|one\b|two\b))/i

/** "Squad Decisions", "Decision Log — Acme", "Team decisions (updated …)": the title of a file, dated or not. */
export function isFileTitle(title: string): boolean {
  return /^[^\p{L}]*(?:(?:squad|team|project|active|merged|architecture|architectural|shared)\s+)*(?:decisions|decision (?:log|register|history|archive))(?:\s*(?:log|archive|\(.*\)|[—–|].*))?$/iu.test(
    title.slice(0, 100),
  )
}

export function isSubSectionName(title: string): boolean {
  return squadUiStopList.has(plain(title)) || partOfPlan.test(title.trim())
}

/** Who the agent is and what it works on: indexed, never converted, never archived. */
export function isProfileSection(title: string): boolean {
  return title.length < 80 && profileSections.has(plain(title.split(/\(| [—–-] /, 1)[0] ?? ""))
}

/** "Archived Decisions — Before 2026-06-02": the date is about what the file holds. */
export function isArchiveTitle(title: string): boolean {
  if (!/archive|decisions?\b/i.test(title)) return false
  if (/^(?:scribe |decisions? )?archived?(?: decisions)?\b[^a-z]*$/i.test(title)) return true
  return /\bdecisions?\b.*\b(?:before|through|until|up to|older than|prior to)\b[^a-z]*$/i.test(title)
}

/** The parts of a history file; one of them ends the entry above it. */
export function isHistorySection(title: string): boolean {
  return historySections.has(plain(title))
}

/** All the names are short, and most headings are not. */
const longestName = 48

function plain(title: string): string {
  if (title.length > longestName) return ""
  return title
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}@]+|(?<![:*_\s])[:*_\s]+$/gu, "")
    .trim()
}
