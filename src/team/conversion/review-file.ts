import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { writeFileAtomic } from "../../disk/atomic-write.ts"
import { parseJson } from "../../disk/json.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { entryTypes, lengthOf, titleLimit } from "../../formats/entry.ts"
import { isRecord } from "../../formats/objects.ts"
import { parseTimestamp } from "../../formats/timestamp.ts"
import type { ConversionPlan } from "./conversion.ts"
import type { ConversionRecord, ReviewAnswer } from "./file-conversion.ts"

/** The questions about one entry, for a user or an agent, who fills in `answer`. */
export type ReviewItem = {
  id: string
  file: string
  line: number
  heading: string
  reasons: string[]
  question: string
  proposed: { type: string; timestamp: string; author: string }
  answer: ReviewAnswer | null
}

export type ReviewFile = { version: 1; howTo: string; entries: ReviewItem[] }

const howTo =
  'Give each entry an "answer": {"action": "convert"} to accept the proposal, with "type", "timestamp", "author" or "title" where the proposal is wrong, or {"action": "leave"}. Then run: drey convert-memory --review-in FILE'

/** Writes the entries that need review to a file; returns the number of questions. */
export function writeReviewFile(path: string, plan: ConversionPlan): number {
  if (!existsSync(dirname(resolve(path)))) throw new DreyError(`${dirname(path)} does not exist`)
  const review = toReviewFile(plan.files.flatMap(({ records }) => records))
  writeFileAtomic(path, `${JSON.stringify(review, null, 2)}\n`)
  return review.entries.length
}

/** The entries that need review, with their questions. */
export function toReviewFile(records: ConversionRecord[]): ReviewFile {
  const open = records.filter((record) => record.level === "review" && !record.converted)
  return {
    version: 1,
    howTo,
    entries: open.map(({ id, file, line, heading, reasons, type, timestamp, author }) => ({
      id,
      file,
      line,
      heading,
      reasons,
      question: questionFor(reasons, { type, timestamp, author }),
      proposed: { type, timestamp, author },
      answer: null,
    })),
  }
}

/** Reads the answers; errors name the entry. */
export function readReviewAnswers(path: string): Map<string, ReviewAnswer> {
  const document = parseJson(readTextFile(path).text, path)
  const entries = isRecord(document) && Array.isArray(document.entries) ? document.entries : undefined
  if (!entries)
    throw new DreyError(`${path} is not a review file: it has no "entries"`, {
      hint: "Create one with: drey convert-memory --review-out FILE",
    })
  const answers = new Map<string, ReviewAnswer>()
  for (const [index, item] of entries.entries()) {
    if (!isRecord(item) || typeof item.id !== "string") throw new DreyError(`${path}: entry ${index + 1} has no id`)
    if (item.answer === null || item.answer === undefined) continue
    answers.set(item.id, toAnswer(item.answer, `${path}: the answer for ${item.id}`))
  }
  return answers
}

function toAnswer(value: unknown, where: string): ReviewAnswer {
  if (!isRecord(value)) throw new DreyError(`${where} is not an object`)
  const { action, type, timestamp, author, title, ...unknown } = value
  const [odd] = Object.keys(unknown)
  if (odd !== undefined)
    throw new DreyError(`${where} has an unknown key: "${odd}"`, {
      hint: "Allowed keys: action, type, timestamp, author, title.",
    })
  if (action !== "convert" && action !== "leave") throw new DreyError(`${where} needs "action": "convert" or "leave"`)
  const answer: ReviewAnswer = { action }
  if (type !== undefined) {
    const known = entryTypes.find((each) => each === type)
    if (!known)
      throw new DreyError(`${where} has an unknown type "${String(type)}"`, {
        hint: `One of ${entryTypes.join(", ")}.`,
      })
    answer.type = known
  }
  if (timestamp !== undefined) {
    const time =
      typeof timestamp === "string"
        ? (parseTimestamp(timestamp) ?? parseTimestamp(`${timestamp}T00:00:00Z`))
        : undefined
    if (!time)
      throw new DreyError(`${where} has an invalid timestamp: "${String(timestamp)}"`, {
        hint: 'Write it as "2026-02-15T14:32:15Z" or "2026-02-15".',
      })
    answer.timestamp = time
    if (!parseTimestamp(String(timestamp))) answer.precision = "day"
  }
  if (author !== undefined) answer.author = requireText(author, `${where} has an author that is not text`)
  if (title !== undefined) {
    answer.title = requireText(title, `${where} has a title that is not text`)
    if (lengthOf(answer.title) > titleLimit)
      throw new DreyError(`${where} has a title of more than ${titleLimit} characters`)
  }
  return answer
}

function requireText(value: unknown, message: string): string {
  if (typeof value !== "string" || value.trim() === "") throw new DreyError(message)
  return value
}

function questionFor(reasons: string[], guess: { type: string; timestamp: string; author: string }): string {
  return reasons
    .map((reason) => {
      switch (reason) {
        case "ambiguous type":
          return `It reads like a report. Is it a ${guess.type}, or did the team decide something?`
        case "missing date":
          return "When was this decided? The file has no date for it."
        case "date from body text":
        case "date from file name":
        case "date from git":
        case "month only":
          return `Is ${guess.timestamp.slice(0, 10)} right? (${reason})`
        case "conflicting dates":
          return `The heading and a label give different dates. Is ${guess.timestamp.slice(0, 10)} right?`
        case "unknown author":
          return "Who decided this?"
        case "author from git":
          return `Git says ${guess.author} wrote the line. Did ${guess.author} decide it?`
        case "several authors":
          return `Several people are named. Is ${guess.author} the one who decided it?`
        case "several decisions in one entry":
          return "This contains several decisions. Convert them as one entry, or leave it and split it by hand?"
        case "forbidden content":
          return "It seems to contain a secret or personal data. Remove that from the file first; it cannot be converted before."
        default:
          return `Is this right? (${reason})`
      }
    })
    .join(" ")
}
