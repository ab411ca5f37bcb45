import { expect, test } from "vitest"
import { contextParts, partEnd } from "../../../src/recall/render-context.ts"
import type { Lane } from "../../../src/recall/standing.ts"
import type { ContextAnswer } from "../../../src/web/api.ts"
import { lanes, tokensByLane } from "./lanes.ts"
import { takeApart } from "./take-apart.ts"

const shown: { id: string; lane: Lane; block: string }[] = [
  { id: "rule", lane: "rules", block: "[rule] directive · 2026-02-01\n> ## Rules\n>\n> Also about this: nothing." },
  { id: "memory", lane: "learned", block: "[m:1] pattern · on trial\n> Run it twice." },
]

function answerWith(mentions: { id: string; title: string; tokens: number }[]): ContextAnswer {
  return {
    text: contextParts("t-1", shown, mentions).join(partEnd),
    tokens: 100,
    budget: 200,
    taskId: "t-1",
    included: shown.map(({ id }) => ({ id, source: "decisions", kind: "note", score: 1, tokens: 30, reason: "fits" })),
    left: [],
    explanation: shown.map(({ id, lane }) => ({
      ...{ id, lane, title: `About ${id}`, kept: true, reason: "fits", score: 1, relevance: 1, tokens: 30 },
      signals: [],
    })),
  }
}

test("the pieces of a context are its items with their lines, and joined they give the text back", () => {
  const answer = answerWith([{ id: "long", title: "A long one", tokens: 900 }])
  const pieces = takeApart(answer)
  expect(pieces.map(({ text }) => text).join("\n\n")).toBe(answer.text)
  const items = pieces.filter((piece) => piece.kind === "item")
  expect(items.map(({ item, text }) => [item.title, text])).toEqual([
    ["About rule", shown[0]?.block],
    ["About memory", shown[1]?.block],
  ])
})

test("what the items do not take of a context's tokens is its frame", () => {
  const used = tokensByLane(answerWith([]))
  expect(used).toEqual({ warnings: 0, rules: 30, team: 0, own: 0, learned: 30, frame: 40 })
  expect(lanes.reduce((sum, { id }) => sum + used[id], 0)).toBe(100)
})
