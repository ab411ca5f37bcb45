import { expect, test } from "vitest"
import { stripInjected } from "./injected-text.ts"

test.each([
  ["plain words", "plain words", []],
  ['<drey-context task="t-1">\nold\n</drey-context>\n\nfix it', "fix it", ["t-1"]],
  ['a <drey-context task="t-1">x</drey-context> b <drey-context task="t-2">y</drey-context>', "a  b", ["t-1", "t-2"]],
  ['fix it <drey-context task="t-1">cut off', "fix it", ["t-1"]],
  ['{"text":"<drey-context task=\\"t-1\\">x</drey-context>"}', '{"text":""}', ["t-1"]],
  ["<drey-context>x</drey-context>fix it", "fix it", []],
  ["deploy with <private>the key</private> now", "deploy with  now", []],
  ["fix it <private>and nobody closes this", "fix it", []],
  ['<private><drey-context task="t-1">x</private> y', "", ["t-1"]],
])("%j becomes %j", (text, stripped, contexts) => {
  expect(stripInjected(text)).toEqual({ text: stripped, contexts })
})

test("text that only looks like a context is kept", () => {
  const text = "the element <drey-contexts> and </drey-context>"
  expect(stripInjected(text).contexts).toEqual([])
  expect(stripInjected("see </drey-context> and </private>").text).toBe("see </drey-context> and </private>")
})

test("many open tags take linear time", () => {
  const started = process.cpuUsage()
  stripInjected("<private></private".repeat(100_000))
  stripInjected('<drey-context task="'.repeat(100_000))
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
})
