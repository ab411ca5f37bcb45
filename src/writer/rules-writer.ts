import type { Finding } from "../episodes/episode.ts"
import { clearOperations } from "./clear-operations.ts"
import { learnFromFailure } from "./rules/learn-from-failure.ts"
import { learnFromWords } from "./rules/learn-from-words.ts"
import type { Lesson } from "./rules/lesson.ts"
import type { Operation, Writer, WriterInput } from "./writer.ts"

/** The writer that needs no model: rules a person states, corrections in general words, failures whose end can be named; nothing else. */
export function rulesWriter(): Writer {
  return {
    id: "rules",
    async write(input) {
      const findings = input.findings.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))
      const lessons = distinct(findings.flatMap((finding) => lessonOf(finding, input) ?? []))
      const { operations, dropped } = clearOperations(lessons.map((lesson) => toOperation(lesson, input)))
      const over = operations.length - input.mostMemories
      if (over > 0) dropped.push(`${over} over the limit of ${input.mostMemories}`)
      return { kind: "written", operations: operations.slice(0, input.mostMemories), dropped }
    },
  }
}

/** Where there are too many, people's words go first. */
const order: Finding["kind"][] = ["explicit_statement", "user_correction", "failure_then_success"]

function lessonOf(finding: Finding, { episode }: WriterInput): Lesson | undefined {
  return finding.kind === "failure_then_success" ? learnFromFailure(finding, episode) : learnFromWords(finding, episode)
}

/** A message that states a rule while it corrects is one lesson. */
function distinct(lessons: readonly Lesson[]): Lesson[] {
  const byText = new Map(lessons.toReversed().map((lesson) => [lesson.text.toLowerCase(), lesson]))
  return [...byText.values()].reverse()
}

function toOperation({ pathPrefix, ...lesson }: Lesson, input: WriterInput): Operation {
  const scope = lesson.key?.startsWith("user.") ? "global" : pathPrefix === undefined ? "project" : "repo_path"
  return {
    op: "ADD",
    scope,
    ...(scope === "repo_path" && pathPrefix !== undefined && { pathPrefix }),
    owner: input.owner,
    ...lesson,
  }
}
