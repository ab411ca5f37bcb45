import type { NewText, Operation, Writer, WriterInput } from "../../../memories/writer.ts"
import type { Weights } from "../../words/lasting.ts"
import { clearOperations } from "../grounding.ts"
import { failureLessonsOf } from "./failure-lessons.ts"
import { learnFromWords } from "./statement-lessons.ts"

/**
 * The built-in writer without a model: everything lasting that the user says, without a limit, and failures with an
 * identifiable fix.
 */
export function rulesWriter(weights?: Weights): Writer {
  return {
    id: "rules",
    async write(input) {
      const corrections = new Set(input.findings.flatMap((each) => (each.kind === "user_correction" ? each.event : [])))
      const stated = learnFromWords(input.episode, { known: input.known, corrections, weights })
      const failures = fromFailures(input)
      const over = failures.length - input.mostMemories
      const lessons = distinct([...stated, ...failures.slice(0, input.mostMemories)])
      const { operations, dropped } = withoutRedacted(
        clearOperations(lessons.map((lesson) => toOperation(lesson, input))),
      )
      if (over > 0) dropped.push(`${over} over the limit of ${input.mostMemories}`)
      return { kind: "written", operations, dropped }
    },
  }
}

/** What one episode proves, and what happened in enough sessions. */
function fromFailures({ episode, earlier, known }: WriterInput): Lesson[] {
  return failureLessonsOf(episode).flatMap(({ key, sessions, stem, lesson }): Lesson[] => {
    const before = earlier?.get(key) ?? []
    if (1 + before.length < sessions) return []
    const same = stem === undefined ? undefined : known.find(({ text }) => text.includes(stem))
    const evidence = { ...lesson.evidence, ...(before.length > 0 && { earlier: before }) }
    if (same?.text === `${stem}.` && lesson.text !== same.text) return [{ ...lesson, evidence, ends: same.id }]
    return [{ ...lesson, evidence, ...(same && { text: same.text }) }] // more evidence, instead of another wording
  })
}

/** A message that corrects and states a rule is one lesson. */
function distinct(lessons: readonly Lesson[]): Lesson[] {
  const byText = new Map(lessons.toReversed().map((lesson) => [lesson.text.toLowerCase(), lesson]))
  return [...byText.values()].reverse()
}

type ClearedOperations = ReturnType<typeof clearOperations>

/** A rule with a redacted part is useless, and the redacted text must not be stored. */
function withoutRedacted({ operations, dropped }: ClearedOperations): ClearedOperations {
  const whole = operations.filter((operation) => operation.op === "DEPRECATE" || !redactionMark.test(operation.text))
  const holed = Array.from({ length: operations.length - whole.length }, () => "ADD: parts of it had to be redacted")
  return { operations: whole, dropped: [...dropped, ...holed] }
}

const redactionMark = /\[(?:redacted|withheld|email|phone)\]/i

function toOperation({ pathPrefix, ends, ...lesson }: Lesson, input: WriterInput): Operation {
  const scope = lesson.key?.startsWith("user.") ? "global" : pathPrefix === undefined ? "project" : "repo_path"
  return {
    ...(ends === undefined ? { op: "ADD" as const } : { op: "UPDATE" as const, target: ends }),
    scope,
    ...(scope === "repo_path" && pathPrefix !== undefined && { pathPrefix }),
    owner: input.owner,
    ...lesson,
  }
}

/** A lesson from one finding; scope and owner follow from it and from the caller. */
export type Lesson = Pick<NewText, "kind" | "tier" | "polarity" | "text" | "confidence" | "evidence"> &
  Partial<Pick<NewText, "key" | "pathPrefix" | "ttlDays" | "trigger">> & {
    /** The known memory that it replaces. */
    ends?: string
  }
