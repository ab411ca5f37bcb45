import { expect, test } from "vitest"
import { contextCommand, searchCommand } from "./commands/search.ts"
import { fastPathOptions } from "./quick-line.ts"

test.for([contextCommand(), searchCommand()])("the fast path reads options like the command $_name", (command) => {
  for (const [flag, { key, kind }] of Object.entries(fastPathOptions[command.name() as keyof typeof fastPathOptions])) {
    const option = command.options.find(({ long, short }) => [long, short].includes(flag))
    expect(option?.attributeName()).toBe(key)
    expect(option?.variadic ? "list" : option?.required ? "text" : "flag").toBe(kind)
    expect(option?.argChoices).toBeUndefined() // it checks no values
  }
})
