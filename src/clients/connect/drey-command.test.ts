import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { findDreyCommand, isOnPath, requireInstalledCommand } from "./drey-command.ts"

const program = { node: "/opt/node", script: "/opt/drey/cli.cjs" }

test("the name is used if the PATH leads to Drey's package, or to a wrapper script of it", () => {
  const folder = makeFolder()
  mkdirSync(join(folder, "package/dist"), { recursive: true })
  writeProgram(join(folder, "package/dist/cli.cjs"), "#!/usr/bin/env node\n")
  writeFileSync(join(folder, "package/package.json"), '{ "name": "drey" }')
  mkdirSync(join(folder, "bin"))
  symlinkSync("../package/dist/cli.cjs", join(folder, "bin/drey"))
  expect(findDreyCommand(machine(join(folder, "bin")), program)).toEqual({
    command: "drey",
    args: [],
    isPortable: true,
  })
  mkdirSync(join(folder, "shims"))
  writeProgram(join(folder, "shims/drey"), '#!/bin/sh\nexec node "$0/../lib/drey/dist/cli.cjs" "$@"\n')
  expect(isOnPath(machine(join(folder, "shims")))).toBe(true)
})

test("another program of that name is not Drey, and neither is a file that is not executable", () => {
  const folder = makeFolder()
  writeProgram(join(folder, "drey"), "#!/bin/sh\necho squirrels\n")
  expect(isOnPath(machine(folder))).toBe(false)
  writeFileSync(join(folder, "drey"), "drey")
  chmodSync(join(folder, "drey"), 0o644)
  expect(isOnPath(machine(folder))).toBe(false)
  expect(findDreyCommand(machine(""), program)).toEqual({
    command: "/opt/node",
    args: ["/opt/drey/cli.cjs"],
    isPortable: false,
  })
})

test("folders that a package manager adds to the PATH do not count", () => {
  const folder = makeFolder()
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true })
  writeProgram(join(folder, "node_modules/.bin/drey"), '#!/bin/sh\nexec node "$0/../../drey/dist/cli.cjs" "$@"\n')
  const path = join(folder, "node_modules/.bin")
  expect(isOnPath(machine(path))).toBe(true) // the user's own PATH may contain such a folder
  expect(isOnPath(machine(path, { npm_command: "exec" }))).toBe(false)
  expect(isOnPath(machine(path, { npm_execpath: "/usr/lib/yarn.js" }))).toBe(false)
  mkdirSync(join(folder, "bin"))
  symlinkSync("../node_modules/.bin/drey", join(folder, "bin/drey"))
  expect(isOnPath(machine([path, join(folder, "bin")].join(delimiter), { npm_command: "exec" }))).toBe(true)
})

test("a copy that a runner installed for one command is not used", () => {
  const script = "/home/ines/.npm/_npx/3f1c7a9e52d04b68/node_modules/drey/dist/cli.cjs"
  expect(() => requireInstalledCommand(findDreyCommand(machine(""), { node: "/opt/node", script }))).toThrow(
    "npx installed this copy of Drey for one command",
  )
  expect(() => requireInstalledCommand(findDreyCommand(machine(""), program))).not.toThrow()
  const chosen = machine("", { DREY_COMMAND: "npx -y drey" })
  expect(() => requireInstalledCommand(findDreyCommand(chosen, { node: "/opt/node", script }))).not.toThrow()
})

test.each([
  ["npx drey", { command: "npx", args: ["drey"], isPortable: true }],
  ['"/my tools/node" /x/cli.cjs', { command: "/my tools/node", args: ["/x/cli.cjs"], isPortable: false }],
  ['["node", "C:\\\\drey\\\\cli.cjs"]', { command: "node", args: ["C:\\drey\\cli.cjs"], isPortable: false }],
])("DREY_COMMAND wins: %s", (line, command) => {
  expect(findDreyCommand(machine("", { DREY_COMMAND: line }), program)).toEqual(command)
})

function machine(path: string, environment: NodeJS.ProcessEnv = {}) {
  return { home: "/nowhere", environment: { PATH: path, ...environment }, platform: "linux" as const }
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-command-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
