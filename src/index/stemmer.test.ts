import { expect, test } from "vitest"
import { stem } from "./stemmer.ts"

test("forms of a word share their stem, as in Porter's examples", () => {
  const examples = {
    caresses: "caress",
    ponies: "poni",
    cats: "cat",
    feed: "feed",
    agreed: "agre",
    plastered: "plaster",
    motoring: "motor",
    sing: "sing",
    conflated: "conflat",
    troubled: "troubl",
    sized: "size",
    hopping: "hop",
    falling: "fall",
    failing: "fail",
    filing: "file",
    happy: "happi",
    sky: "sky",
    relational: "relat",
    conditional: "condit",
    vietnamization: "vietnam",
    operator: "oper",
    hopefulness: "hope",
    formality: "formal",
    triplicate: "triplic",
    electrical: "electr",
    adjustment: "adjust",
    adoption: "adopt",
    probate: "probat",
    rate: "rate",
    cease: "ceas",
    controlling: "control",
    rolling: "roll",
    yes: "ye",
  }
  expect(Object.fromEntries(Object.keys(examples).map((word) => [word, stem(word)]))).toEqual(examples)
})

test("a word of one or two letters is unchanged", () => {
  expect(["is", "a", "ui"].map(stem)).toEqual(["is", "a", "ui"])
})
