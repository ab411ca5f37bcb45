/** Squad's export document; `drey` holds the files that Squad leaves out, and checksums. */
export type Bundle = {
  version: "1.0"
  exported_at: string
  squad_version: string
  team_md?: string
  decisions_md?: string
  routing_md?: string
  casting: Record<string, unknown>
  agents: Record<string, { charter?: string; history?: string }>
  skills: string[]
  decisions?: string
  team?: string
  drey?: DreyPart
}

export type DreyPart = {
  schema: 1
  /** Every other file with entries, by its path below the team folder. */
  archives: Record<string, string>
  inbox: Record<string, string>
  memory: {
    config?: unknown
    index?: unknown
    entries: Record<string, string>
    tombstones: Record<string, unknown>
  }
  skillDirs: Record<string, string>
  entries: unknown[]
  checksums: Record<string, string>
}

/** The files in a bundle by their path below the team folder; skills are `skills/<name>/SKILL.md`. */
export type BundleFiles = Map<string, string>

export const bundleVersion = "1.0"

/** Squad's rule for the names of agents and skills; it keeps every path inside the team folder. */
export const namePattern = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/

export const castingNames = ["registry", "policy", "history"] as const

/** Files that have their own key in a bundle. */
export const topFiles = { "team.md": "team_md", "decisions.md": "decisions_md", "routing.md": "routing_md" } as const

/** A bundle does not preserve JSON formatting, so JSON files are always written and compared in this form. */
export function writeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
