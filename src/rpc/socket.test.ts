import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { socketPathOf } from "./socket.ts"

function newFolder(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-socket-"))
  chmodSync(folder, mode)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test("the system's folder for running programs is used when it is private", () => {
  const runtime = newFolder(0o700)
  expect(socketPathOf({ XDG_RUNTIME_DIR: runtime }, "linux")).toBe(join(runtime, "drey", "watch.sock"))
})

test("one that others can enter, or that does not exist, is not used", () => {
  for (const runtime of [newFolder(0o755), "/nowhere/at/all"])
    expect(socketPathOf({ XDG_RUNTIME_DIR: runtime }, "linux")).toMatch(/\.drey\/run\/watch\.sock$/)
})

test("each home has its own socket, whatever the system provides", () => {
  const environment = { XDG_RUNTIME_DIR: newFolder(0o700), DREY_HOME: "/home/ines/.drey-test" }
  expect(socketPathOf(environment, "linux")).toBe("/home/ines/.drey-test/run/watch.sock")
})

test("a path that is too long is replaced by a short one, different for each home", () => {
  const long = (name: string) => socketPathOf({ DREY_HOME: `/home/${"long/".repeat(30)}${name}` }, "linux")
  expect(Buffer.byteLength(long("a"))).toBeLessThanOrEqual(100)
  expect(long("a")).toBe(long("a"))
  expect(long("a")).not.toBe(long("b"))
})

test("on Windows it is a named pipe, different for each home", () => {
  const pipe = (home: string) => socketPathOf({ DREY_HOME: home }, "win32")
  expect(pipe("C:\\a")).toMatch(/^\\\\\.\\pipe\\drey-[0-9a-f]{12}$/)
  expect(pipe("C:\\a")).not.toBe(pipe("C:\\b"))
})

test("hooks of several homes have a socket each in the system's folder, which does not depend on the home", () => {
  const homeOfThis = process.env.HOME
  onTestFinished(() => {
    process.env.HOME = homeOfThis
  })
  const environment = { XDG_RUNTIME_DIR: newFolder(0o700) }
  const path = (home: string) => {
    process.env.HOME = home
    return socketPathOf(environment, "linux", "hooks")
  }
  expect(path("/home/a")).toMatch(/\/drey\/hooks-[0-9a-f]{12}\.sock$/)
  expect(path("/home/a")).not.toBe(path("/home/b"))
})

test("a folder that cannot be read is not used", () => {
  const runtime = `/${"long".repeat(2000)}`
  expect(socketPathOf({ XDG_RUNTIME_DIR: runtime }, "linux")).toMatch(/\.drey\/run\/watch\.sock$/)
})
