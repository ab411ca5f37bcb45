import { expect, test } from "vitest"
import type { ContextAnswer } from "../../../src/recall/browse/app-api.ts"
import { contextParts, partEnd } from "../../../src/recall/context/context-text.ts"
import type { Form } from "../../../src/recall/context/selection.ts"
import type { Lane } from "../../../src/recall/eligibility.ts"
import { lanes, tokensByLane } from "./lanes.ts"
import { takeApart } from "./take-apart.ts"

const shown: { id: string; lane: Lane; form: Form; block: string }[] = [
  { id: "rule", lane: "rules", form: "whole", block: "[rule] directive · 2026-02-01\n> ## Rules\n>\n> All of them." },
  { id: "first", lane: "team", form: "line", block: "> [first] A first line" },
  { id: "second", lane: "team", form: "line", block: "> [second] A second line" },
  { id: "memory", lane: "learned", form: "whole", block: "[m:1] pattern · on trial\n> Run it twice." },
]

function answerWith(items: typeof shown): ContextAnswer {
  return {
    text: contextParts("t-1", items).join(partEnd),
    tokens: 100,
    budget: 200,
    taskId: "t-1",
    included: items.map(({ id, form }) => {
      return { id, source: "decisions", kind: "note", form, score: 1, tokens: 30, reason: "fits" }
    }),
    left: [],
    explanation: items.map(({ id, lane }) => ({
      ...{ id, lane, title: `About ${id}`, kept: true, reason: "fits", score: 1, relevance: 1, tokens: 30 },
      signals: [],
    })),
  }
}

test("the pieces of a context are its items with their lines, and joined they give the text back", () => {
  const answer = answerWith(shown)
  const pieces = takeApart(answer)
  expect(pieces.map(({ gap, text }) => gap + text).join("")).toBe(answer.text)
  const items = pieces.filter((piece) => piece.kind === "item")
  expect(items.map(({ item, text }) => [item.title, text])).toEqual(
    shown.map(({ id, block }) => [`About ${id}`, block]),
  )
})

test("what the items do not take of a context's tokens is its frame", () => {
  const used = tokensByLane(answerWith(shown.filter(({ form }) => form === "whole")))
  expect(used).toEqual({ warnings: 0, rules: 30, team: 0, own: 0, learned: 30, frame: 40 })
  expect(lanes.reduce((sum, { id }) => sum + used[id], 0)).toBe(100)
})
