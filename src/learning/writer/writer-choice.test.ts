import { expect, test } from "vitest"
import type { WriterSettings } from "../../config.ts"
import { openWriter } from "./writer-choice.ts"

const keys = { ANTHROPIC_API_KEY: "a-key", OPENAI_API_KEY: "o-key" }

test.each<[string, WriterSettings, NodeJS.ProcessEnv, string]>([
  ["a key without a model sends nothing anywhere", { kind: "auto" }, keys, "rules"],
  ["a model without a key is no reason to fail", { kind: "auto", model: "claude-sonnet-4-5" }, {}, "rules"],
  ["a key of another provider is none", { kind: "auto", provider: "google", model: "gemini-2.5-flash" }, keys, "rules"],
  ["a blank key is none", { kind: "auto", model: "claude-sonnet-4-5" }, { ANTHROPIC_API_KEY: " " }, "rules"],
  [
    "a key and a model are enough",
    { kind: "auto", model: "claude-sonnet-4-5" },
    keys,
    "model:anthropic/claude-sonnet-4-5",
  ],
  [
    "the only key tells whose an unknown model is",
    { kind: "auto", model: "new-1" },
    { OPENAI_API_KEY: "k" },
    "model:openai/new-1",
  ],
  ["two keys do not", { kind: "auto", model: "new-1" }, keys, "rules"],
  [
    "a local server needs no key",
    { kind: "auto", provider: "openai-compatible", model: "qwen3", baseUrl: "http://localhost:11434/v1" },
    {},
    "model:openai-compatible/qwen3",
  ],
  ["rules are rules", { kind: "rules", model: "claude-sonnet-4-5" }, keys, "rules"],
  ["a command is named by its program", { kind: "command", command: ["/usr/bin/claude", "-p"] }, {}, "command:claude"],
])("%s", async (_, settings, environment, id) => {
  expect((await openWriter(settings, environment)).id).toBe(id)
})

test.each<[WriterSettings, NodeJS.ProcessEnv, RegExp]>([
  [
    { kind: "model", model: "claude-sonnet-4-5" },
    { OPENAI_API_KEY: "o-key" },
    /needs ANTHROPIC_API_KEY in the environment/,
  ],
  [{ kind: "model", provider: "google", model: "gemini-2.5-pro" }, keys, /needs GOOGLE_GENERATIVE_AI_API_KEY/],
  [{ kind: "model" }, keys, /needs a model/],
  [{ kind: "model", model: "new-1" }, keys, /provider of model new-1 is/],
  [{ kind: "model", provider: "openai-compatible", model: "qwen3" }, keys, /needs a URL/],
  [{ kind: "command" }, {}, /needs a command/],
])("%j that cannot be opened reports what is missing, and no key", async (settings, environment, message) => {
  const error = await openWriter(settings, environment).catch((caught) => caught)
  expect(error).toMatchObject({ name: "DreyError", message: expect.stringMatching(message), hint: expect.any(String) })
  expect(`${error.message} ${error.hint}`).not.toMatch(/[ao]-key/)
})
