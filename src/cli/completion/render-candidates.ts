import type { Candidate } from "./complete-line.ts"
import type { Shell } from "./completion-scripts.ts"

/** One candidate a line, as the shell's script takes them: zsh and fish show what each means. */
export function renderCandidates(shell: Shell, candidates: readonly Candidate[]): string {
  return candidates.map((candidate) => `${render[shell](candidate)}\n`).join("")
}

const render: Record<Shell, (candidate: Candidate) => string> = {
  bash: ({ word }) => word,
  zsh: ({ word, description }) =>
    description === "" ? escapeColons(word) : `${escapeColons(word)}:${brief(description)}`,
  fish: ({ word, description }) => (description === "" ? word : `${word}\t${brief(description)}`),
}

function escapeColons(word: string): string {
  return word.replaceAll("\\", "\\\\").replaceAll(":", "\\:")
}

function brief(description: string): string {
  const [first = ""] = description.split(/\n|; /)
  return first.length > 60 ? `${first.slice(0, 59).trimEnd()}…` : first
}
