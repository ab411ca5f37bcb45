import type { SessionRun } from "./open-place.ts"
import type { RealClient } from "./real-client.ts"
import { requestText } from "./request-text.ts"
import { entryTitle, type Journey, ownHistory, rule, subtask } from "./run-journey.ts"

/** What a journey has to show, in the order of the printed table. */
export type Check = { name: string; isMet: boolean; remark?: string }

const skillWords = "How to write down a decision, a lesson, a note or a rule"

export function judgeJourney(journey: Journey, client: RealClient): Check[] {
  const { first, second, learnedAtEnd } = journey
  const start = requestText(second, 0)
  const [memory = ""] = learnedAtEnd
  return [
    { name: "both sessions end well", isMet: first.code === 0 && second.code === 0 },
    { name: "learned when the session ended", isMet: learnedAtEnd.length === 1 && memory.includes("make-rates") },
    { name: "memory in the next session's request, once", isMet: memory !== "" && count(start, memory) === 1 },
    { name: "directive in it, once", isMet: count(start, rule) === 1 },
    { name: "skill in it, once", isMet: count(start, skillWords) === 1 },
    judgeWarning(second, client),
    { name: "advice after a failure", isMet: requestText(second, 1).includes("About this failure") },
    { name: "MCP call reaches Drey and is answered", isMet: isSearchAnswered(second) },
    { name: "entry written by the skill is valid", isMet: isEntryValid(journey) },
    { name: "nothing learned twice, nothing of Drey's own", isMet: isLearnedOnce(journey) },
    { name: "drey why tells what it was told", isMet: /"id": "m-[^}]*"reason": "./.test(journey.told) },
    ...judgeDelegation(journey),
    { name: "disconnect gives the bytes back", isMet: journey.isDisconnected },
  ]
}

/** It comes with the result of the guarded call; what a client shows only to the user comes before. */
function judgeWarning(second: SessionRun, { warnsModelAfterwards = false }: RealClient): Check {
  const name = "warning before a guarded command"
  const warning = /advise against this call[^<]*WARNING[^<]*never npm/
  const isTold = warning.test(requestText(second, 1))
  if (!warnsModelAfterwards) return { name, isMet: isTold }
  const isMet = isTold && warning.test(second.printed)
  return { name, isMet, remark: "the person is warned before the call, the model with its result" }
}

/** A sub-agent has its own history before it in its first request, and the parent has not. */
function judgeDelegation({ delegating }: Journey): Check[] {
  if (!delegating) return []
  const isHanded = requestText(delegating, 0, subtask).includes(ownHistory)
  const isParents = requestText(delegating, 0).includes(ownHistory)
  return [{ name: "a sub-agent starts with its own history", isMet: isHanded && !isParents }]
}

/** Between the second request of the session and the third nothing is added but the answer. */
function isSearchAnswered(second: SessionRun): boolean {
  const id = /sem-[0-9a-f]{8}/.exec(requestText(second, 0))?.[0] ?? "none"
  return count(requestText(second, 2), id) > count(requestText(second, 1), id)
}

/** As the agent wrote it, and as it is in the decisions. */
function isEntryValid({ validations, decisions }: Journey): boolean {
  const isRight = validations.every(({ code, stdout }) => code === 0 && JSON.parse(stdout).totals.errors === 0)
  return isRight && validations.length === 2 && count(decisions, `: decision: ${entryTitle}\n`) === 1
}

function isLearnedOnce({ learnedAtEnd, learnedAfterwards, decisions }: Journey): boolean {
  const isSame = JSON.stringify(learnedAfterwards) === JSON.stringify(learnedAtEnd)
  return isSame && count(decisions, `: directive: ${rule}\n`) === 1
}

function count(text: string, words: string): number {
  return text.split(words).length - 1
}
