import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openSeenItems } from "./seen-items.ts"

test("items seen by a session are known to the next process, and to no other session", () => {
  const home = makeHome()
  openSeenItems(home, "one").add(["a", "b"])
  const again = openSeenItems(home, "one")
  expect([again.has("a"), again.has("c"), again.all()]).toEqual([true, false, ["a", "b"]])
  expect(openSeenItems(home, "two").all()).toEqual([])
})

test("a cleared session has seen nothing", () => {
  const home = makeHome()
  const told = openSeenItems(home, "one")
  told.add(["a"])
  told.forget()
  expect(told.has("a")).toBe(false)
  expect(openSeenItems(home, "one").all()).toEqual([])
})

test("a session id cannot escape its folder, and a session without an id stores nothing", () => {
  const home = makeHome()
  openSeenItems(home, "../../outside").add(["a"])
  openSeenItems(home, undefined).add(["a"])
  expect(readdirSync(join(home, "hooks", "sessions"))).toEqual(["______outside"])
  expect(statSync(join(home, "hooks", "sessions", "______outside")).mode & 0o77).toBe(0)
})

test("at most a hundred sessions are kept, the newest among them", () => {
  const home = makeHome()
  for (let number = 0; number < 130; number++) openSeenItems(home, `s${number}`).add(["a"])
  expect(readdirSync(join(home, "hooks", "sessions")).length).toBeLessThanOrEqual(100)
  expect(openSeenItems(home, "s129").all()).toEqual(["a"])
})

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "drey-told-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}
