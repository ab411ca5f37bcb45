import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export type SquadUiPanels = {
  team: { name: string; role: string }[]
  charters: string[]
  skills: { name: string; description: string }[]
  decisions: SquadUiRecord[]
}

/** What SquadUI's panels show of a folder, by its own rules; undefined where it shows none, because there is no team.md. */
export function readPanels(root: string): SquadUiPanels | undefined {
  const folder = [".squad", ".ai-team"].map((name) => join(root, name)).find(existsSync)
  if (folder === undefined || !existsSync(join(folder, "team.md"))) return undefined
  const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8")
  const list = (name: string) => (existsSync(join(folder, name)) ? readdirSync(join(folder, name)).sort() : [])
  const team = readMembers(read("team.md"))
  const slug = (name: string) =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
  return {
    team,
    charters: team
      .map(({ name }) => slug(name))
      .filter((name) => existsSync(join(folder, "agents", name, "charter.md"))),
    skills: list("skills")
      .filter((name) => existsSync(join(folder, "skills", name, "SKILL.md")))
      .map((name) => readSkillCard(name, read("skills", name, "SKILL.md"))),
    decisions: existsSync(join(folder, "decisions.md")) ? readDecisions(read("decisions.md")) : [],
  }
}

/** The rows with a name and a role in the table below "## Members", else "## Roster"; the coordinator is not a member. */
function readMembers(team: string): { name: string; role: string }[] {
  const sections = `\n${team.replaceAll("\r\n", "\n")}`.split(/\n##[ \t]+/)
  const section = (name: string) =>
    sections.find((text) => text.split("\n")[0]?.trim().toLowerCase() === name.toLowerCase())
  const lines = (section("Members") ?? section("Roster") ?? "").split("\n").map((line) => line.trim())
  const rows = lines
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const [heads = [], ...cells] = rows
  const column = (name: string) => heads.map((head) => head.toLowerCase()).indexOf(name)
  return cells
    .filter((row) => !row.every((cell) => /^[-:]+$/.test(cell)))
    .map((row) => ({ name: row[column("name")] ?? "", role: row[column("role")] ?? "" }))
    .filter(({ name, role }) => name !== "" && role !== "" && role.toLowerCase() !== "coordinator")
}

/** Name and description from the front matter, else from the first heading and the first line of text. */
function readSkillCard(folder: string, text: string): { name: string; description: string } {
  const lines = text.split("\n")
  const end = lines[0]?.trim() === "---" ? lines.indexOf("---", 1) : -1
  const field = (key: string) =>
    lines
      .slice(1, Math.max(end, 1))
      .find((line) => line.startsWith(`${key}:`))
      ?.slice(key.length + 1)
      .trim()
  const body = lines.slice(end + 1)
  const name = field("name") ?? body.find((line) => /^#\s+\S/.test(line))?.replace(/^#\s+/, "") ?? folder
  const description =
    field("description") ?? body.find((line) => line.trim() !== "" && !/^[#>]/.test(line.trim())) ?? name
  return { name: name.replace(/^skill:\s*/i, ""), description }
}

export type SquadUiRecord = { title: string; date: string | undefined; author: string | undefined; content: string }

/** SquadUI 0.9.1's reading of decisions.md, as observed: blind to fences, lines trimmed first. */
export function readDecisions(markdown: string): SquadUiRecord[] {
  const lines = markdown.replace(/\r\n/g, "\n").split("\n")
  const levels = lines.map((line) => /^#*/.exec(line.trim())?.[0].length ?? 0)
  const records: SquadUiRecord[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim()
    const level = levels[at] ?? 0
    const wholeDecision = level === 1 ? /^#\s+Decision:\s+(.+)$/i.exec(line)?.[1] : undefined
    if (wholeDecision !== undefined) {
      const next = lines.findIndex((other, index) => index > at && /^#\s/.test(other.trim()))
      const end = next === -1 ? lines.length : next
      records.push({ title: wholeDecision.trim(), ...readLabels(lines, at, end, undefined) })
      at = end - 1
      continue
    }
    const heading = level === 2 || level === 3 ? /^#{2,3}\s+(.+)$/.exec(line)?.[1]?.trim() : undefined
    if (heading === undefined || (level === 3 && !/^\d{4}-\d{2}-\d{2}/.test(heading))) continue
    const { title, date } = readTitle(heading)
    if (subSectionNames.includes(title.toLowerCase()) || title.toLowerCase().startsWith("items deferred")) continue
    const next = levels.findIndex((other, index) => index > at && other > 0 && other <= level)
    records.push({ title, ...readLabels(lines, at, next === -1 ? lines.length : next, date) })
  }
  return records
}

function readTitle(heading: string): { title: string; date: string | undefined } {
  const text = heading.replace(/^#\s+/, "")
  const prefix = /^(\d{4}-\d{2}-\d{2})(?:\/\d+)?[:/]?\s*/.exec(text)
  const title = text
    .slice(prefix?.[0].length ?? 0)
    .replace(/^User directive\s*[—–-]\s*/i, "")
    .replace(/^Decision:\s*/i, "")
  return { title, date: prefix?.[1] }
}

function readLabels(lines: string[], heading: number, end: number, headingDate: string | undefined) {
  let date = headingDate
  let author: string | undefined
  for (const line of lines.slice(heading + 1, Math.min(heading + 20, end))) {
    const value = (label: string) => new RegExp(`\\*\\*${label}:\\*\\*\\s*(.+)`).exec(line.trim())?.[1]?.trim()
    date = /\d{4}-\d{2}-\d{2}/.exec(value("Date") ?? "")?.[0] ?? date
    author = value("Author") ?? author ?? value("By")
  }
  return { date, author, content: lines.slice(heading, end).join("\n") }
}

/** Written down a second time on purpose: the view's own list is what is tested. */
export const subSectionNames = [
  "context|decision|decisions|rationale|impact|alternatives considered|implementation details|implementation|members",
  "alumni|@copilot|location|action required|open questions|open questions / risks|related issues|success metrics",
  "scope decision|directive|problem statement|data flow analysis|root cause|the design gap|what should happen",
  "recommended fix|test cases to add|files to modify|for linus|implementation phases|sprint goal|context & opportunity",
  "work items|risks & open questions|next steps|outcome|success criteria|vision|core features|overview|goals|non-goals",
  "assumptions|constraints|background|summary|appendix|references|changelog|history|todo|notes",
].flatMap((line) => line.split("|"))
