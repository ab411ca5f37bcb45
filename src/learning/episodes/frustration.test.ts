import { expect, test } from "vitest"
import { ownWords } from "../words/own-words.ts"
import { atLeast, frustrationIn, hasAcceptance, worse } from "./frustration.ts"

test("levels are compared by rank, not as strings", () => {
  expect(atLeast("mild", "none")).toBe(true) // "mild" > "none" is false as text
  expect(atLeast("moderate", "severe")).toBe(false)
  expect(worse("severe", "mild")).toBe("severe")
})

test.each([
  ["severe", "how many times do I have to say this"],
  ["severe", "are you kidding me"],
  ["severe", "I give up, I'll do it myself"],
  ["severe", "wie oft denn noch"],
  ["severe", "cuántas veces te lo tengo que decir"],
  ["severe", "我说了多少遍了"],
  ["moderate", "it's still broken"],
  ["moderate", "that didn't work"],
  ["moderate", "I told you not to touch that"],
  ["moderate", "why did you delete the test?"],
  ["moderate", "ugh"],
  ["moderate", "das geht immer noch nicht"],
  ["moderate", "还是报错"],
  ["moderate", "sigue sin funcionar"],
  ["moderate", "ça ne marche toujours pas"],
  ["moderate", "ainda não funciona"],
  ["moderate", "まだエラーが出ます"],
  ["mild", "no, the other one"],
  ["mild", "that's wrong"],
  ["mild", "undo that"],
  ["mild", "hmm"],
  ["mild", "what??"],
  ["mild", "不对"],
  ["none", "Add a toggle to the settings"],
  ["none", "no problem, take your time"],
  ["none", "thanks, works now"],
  ["none", "the tests still need to be written"],
  ["none", "is it still failing?"],
  ["none", "explain how it works"],
])("%s: %s", (level, message) => {
  expect(frustrationIn(ownWords(message))).toBe(level)
})

test("thanks cancel it, unless it is severe or errors follow", () => {
  expect(frustrationIn("that was wrong, but it works now, thanks")).toBe("none")
  expect(frustrationIn("thanks, it was still failing before but works now")).toBe("none")
  expect(frustrationIn("thanks but it's still failing")).toBe("moderate")
  expect(frustrationIn("thanks for nothing, you are useless")).toBe("severe")
})

test("exclamation marks and shouting raise the level, unless it is joy", () => {
  expect(frustrationIn("stop it!!!")).toBe("severe")
  expect(frustrationIn("THAT IS WRONG PLEASE LOOK")).toBe("moderate")
  expect(frustrationIn("it works!!!")).toBe("none")
  expect(frustrationIn("set MAX_RETRIES in the API")).toBe("none")
})

test("quoted words of others do not count", () => {
  expect(frustrationIn(ownWords('the customer wrote "this is fucking useless"'))).toBe("none")
  expect(frustrationIn(ownWords("> I give up\n\nthat is from the ticket, have a look"))).toBe("none")
})

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
