import { expect, test } from "vitest"
import { story, testHookClient } from "../hook-client-contract.ts"
import { testPluginFixture } from "../test-plugin.ts"
import { pi } from "./hooks.ts"

testHookClient(pi, testPluginFixture("path"))

test("a skill's text in a prompt is not the user's", () => {
  const text = `<skill name="deploy" location="/skills/deploy">\nAlways deploy on Fridays.\n</skill>\n\n${story.prompt}`
  expect(pi.read("prompt", { session: "s", cwd: "/work", prompt: text })).toMatchObject({ text: story.prompt })
  expect(pi.read("prompt", { session: "s", cwd: "/work", prompt: "/skill:deploy now" })).toMatchObject({ text: "now" })
  expect(pi.read("prompt", { session: "s", cwd: "/work", prompt: "/skill:deploy" })).toBeUndefined()
})
