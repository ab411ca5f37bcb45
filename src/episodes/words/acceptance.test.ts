import { expect, test } from "vitest"
import { hasAcceptance } from "./acceptance.ts"

test.each([
  "thanks!",
  "perfect, that did it",
  "ok, works. great",
  "looks good",
  "wow, nice",
  "it works now",
  "lgtm",
  "danke, passt",
  "太好了",
  "gracias, ya funciona",
  "parfait",
  "ありがとう",
])("%s accepts", (message) => {
  expect(hasAcceptance(message)).toBe(true)
})

test.each([
  "please fix it, thanks",
  "thanks in advance",
  "explain how it works",
  "make sure it works",
  "it would be great if it were faster",
  "looks good, but the header is gone",
  "does it work now?",
  "it is not working",
  "thanks, but no",
])("%s does not", (message) => {
  expect(hasAcceptance(message)).toBe(false)
})
