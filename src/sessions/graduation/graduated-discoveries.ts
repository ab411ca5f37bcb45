import type { Discovery } from "../../formats/session/agent-memory.ts"
import { clip, longestMemory } from "../../formats/text.ts"
import { referencesOf, resolveReference } from "../entry-references.ts"
import { type AgentMemories, filesIn, type LearnedGraduate, nameOf, statementsOf } from "./graduate.ts"

/** Causes that were found and solutions that were tried. */
export function graduateFindings(memories: AgentMemories): LearnedGraduate[] {
  return discoveriesOf(memories).flatMap(({ agent, discovery }) => {
    if (discovery.type !== "solution_verified" && discovery.type !== "failure_cause") return []
    const isTried = discovery.type === "solution_verified"
    const why = isTried ? "a solution that was tried and works" : "the cause of a failure"
    return toGraduate(agent, discovery, { kind: "pattern", why, confidence: isTried ? 0.7 : 0.6, inAuto: true })
  })
}

const structural = new Set(["codebase_structure", "code_pattern", "dependency_check", "api_surface", "data_model"])

/** Facts about this codebase that successful work or a decision was based on. `all` is where to look for that. */
export function graduateGrounds(memories: AgentMemories, all: AgentMemories): LearnedGraduate[] {
  const built = groundsIn(all)
  return discoveriesOf(memories).flatMap(({ agent, discovery }) => {
    const { id, type, importance } = discovery
    const by = built.get(nameOf({ agent, id }))
    const isMajor = importance === "high" || importance === "critical"
    if (!structural.has(type) || !isMajor || by === undefined) return []
    const confidence = importance === "critical" ? 0.7 : 0.6
    return toGraduate(agent, discovery, {
      kind: "invariant",
      why: `${importance}, and ${by} rests on it`,
      confidence,
      inAuto: false,
    })
  })
}

/** For each discovery that a decision or a successful attempt names, which one does. */
function groundsIn(all: AgentMemories): Map<string, string> {
  const built = new Map<string, string>()
  for (const [agent, memory] of all) {
    for (const entry of [...memory.decisions, ...memory.attempts.filter(({ result }) => result === "success")]) {
      for (const reference of referencesOf(entry)) {
        const found = reference.section === "discoveries" ? resolveReference(all, agent, reference) : undefined
        const name = found && nameOf(found)
        if (name && !built.has(name)) built.set(name, entry.id)
      }
    }
  }
  return built
}

function discoveriesOf(memories: AgentMemories): { agent: string; discovery: Discovery }[] {
  return [...memories].flatMap(([agent, memory]) => memory.discoveries.map((discovery) => ({ agent, discovery })))
}

function toGraduate(
  agent: string,
  discovery: Discovery,
  given: Pick<LearnedGraduate, "kind" | "why" | "confidence" | "inAuto">,
): LearnedGraduate[] {
  const files = filesIn(discovery.relatedFiles)
  const text = tell(discovery, files)
  if (text === undefined) return []
  const source = { agent, id: discovery.id }
  return [
    {
      target: "learned",
      id: nameOf(source),
      ...given,
      sources: [source],
      text,
      trigger: { tools: [], heads: [], paths: files, fingerprints: [] },
      evidence: "pattern_observed",
      quotes: [{ ...source, ts: discovery.timestamp, text: discovery.content }],
    },
  ]
}

const leastWords = 4

/** Its summary if that is a sentence, otherwise its first sentences; with its file, if it has one. */
function tell({ summary, content }: Discovery, files: readonly string[]): string | undefined {
  const statements = [statementsOf(summary ?? ""), statementsOf(content)].find(([first]) => saysSomething(first))
  const [first, ...further] = statements ?? []
  if (first === undefined) return undefined
  const second = further.find((statement) => /^(?:fix|solution|remedy|instead)\b/i.test(statement)) ?? further[0]
  const both = second === undefined ? first : `${first} ${second}`
  const text = both.length <= longestMemory ? both : clip(first, longestMemory)
  const [file, ...others] = files
  if (file === undefined || others.length > 0 || text.includes(file) || text.includes(";")) return text // it would stick to the last item of a list
  const placed = `${text.replace(/\.$/, "")} (${file}).`
  return placed.length <= longestMemory ? placed : text
}

function saysSomething(statement: string | undefined): boolean {
  return statement !== undefined && statement.split(" ").length >= leastWords
}
