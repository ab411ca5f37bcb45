import type { Command } from "commander"
import { expect, test } from "vitest"
import { makeProgram } from "../program.ts"
import { headingOf } from "./help-layout.ts"
import { isNoted } from "./help-notes.ts"

test("every command has a heading in the list, and documents its exit codes", async () => {
  const program = await makeProgram()
  const names = program.commands.map((command) => command.name())
  expect(names.filter((name) => !headingOf.has(name))).toEqual([])
  expect(pathsBelow(program, []).filter((path) => !isNoted(path))).toEqual([])
})

test("the shared options come last, under their own heading", async () => {
  const program = await makeProgram("validate")
  const help = program.commands[0]?.helpInformation() ?? ""
  expect(help.indexOf("Options:\n  --format")).toBeGreaterThan(-1)
  expect(help.indexOf("Common options:\n  --root")).toBeGreaterThan(help.indexOf("--quiet"))
  expect(help).toContain("--no-pager")
})

/** Of the commands that do something. */
function pathsBelow(command: Command, path: string[]): string[] {
  return command.commands.flatMap((sub) => {
    const own = [...path, sub.name()]
    const below = pathsBelow(sub, own)
    return below.length === 0 ? [own.join(" ")] : below
  })
}
