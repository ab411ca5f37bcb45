import { expect, test } from "vitest"
import { mcpCommand } from "./commands/serve.ts"
import { mcpOptions } from "./fast-start.ts"

test("the fast path knows the options that take a value, and their values", () => {
  const own = mcpCommand().options.filter(({ long }) => long !== "--port" && long !== "--http" && long !== "--json")
  expect(Object.keys(mcpOptions).sort()).toEqual(own.map(({ long }) => long).sort())
  for (const option of own) {
    const known = mcpOptions[option.long ?? ""]
    expect(known?.key).toBe(option.attributeName())
    expect(known?.choices).toEqual(option.argChoices)
  }
})
