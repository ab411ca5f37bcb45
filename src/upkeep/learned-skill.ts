import { handleOf } from "../formats/memory-handle.ts"
import { writeSkill } from "../formats/skill.ts"
import type { Evidence, Memory, Trigger } from "../store/memory.ts"
import { describeEvidence } from "./describe-evidence.ts"

/** A pattern as a skill: its `SKILL.md` and folder name, which is the same every time. */
export function learnedSkill({ memory, evidence }: { memory: Memory; evidence: readonly Evidence[] }): {
  name: string
  text: string
} {
  const name = nameOf(memory)
  const occasions = occasionsOf(memory.trigger)
  const sections = [
    memory.text,
    ...(occasions.length === 0 ? [] : [`## When\n\n${occasions.map((occasion) => `- ${occasion}`).join("\n")}`]),
    `## Evidence\n\n${describeEvidence(memory, evidence)}`,
  ]
  const text = writeSkill({
    name,
    description: memory.text,
    confidence: "low",
    source: "earned",
    tools: [],
    triggers: headsOf(memory.trigger),
    roles: [],
    extra: { memory: memory.id },
    body: sections.join("\n\n"),
    diagnostics: [],
  })
  return { name, text }
}

const longestSlug = 48

/** Skill names: lower case, digits, single hyphens; at most 64 characters. */
function nameOf({ id, text }: Memory): string {
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, longestSlug)
  const slug = words.length < longestSlug ? words : words.replace(/-[^-]*$/, "")
  return [slug, handleOf(id).replace("m:", "")].filter(Boolean).join("-")
}

const most = 5

function occasionsOf(trigger: Trigger): string[] {
  return [
    ...headsOf(trigger).map((head) => `Running \`${head}\``),
    ...trigger.paths
      .filter(isPlainPath)
      .slice(0, most)
      .map((path) => `Working on \`${path}\``),
  ]
}

/** Text from a transcript is shown only if it can be nothing but a command or a path of this repository. */
function headsOf({ heads }: Trigger): string[] {
  return heads.filter((head) => /^[\w@./:+-]{1,40}(?: [\w@./:+-]{1,40}){0,3}$/.test(head)).slice(0, most)
}

function isPlainPath(path: string): boolean {
  return /^[\w@][\w@./+ -]{0,120}$/.test(path) && !path.split("/").includes("..")
}
