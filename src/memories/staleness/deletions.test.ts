import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { judgeItems } from "./item-verdicts.ts"
import { makeFolder, makeRepository, source } from "./test-repository.ts"

test("the cached log is extended, rebuilt on another branch, and never required", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "a.ts": source("a"), "b.ts": source("b"), "c.ts": source("c") })
  commit("2026-01-01")
  rmSync(join(root, "a.ts"))
  commit("2026-02-01")
  const keptAt = join(makeFolder(), "log")
  const states = async () => {
    const text = "`./a.ts` `./b.ts` `./c.ts`"
    const [item] = await judgeItems(root, [{ id: "one", text, at: Date.parse("2026-01-15") }], keptAt)
    return item?.names.map(({ verdict }) => verdict.state)
  }
  expect(await states()).toEqual(["gone", "valid", "valid"])
  expect(readFileSync(keptAt, "utf8")).toContain(git("rev-parse", "HEAD").trim())

  rmSync(join(root, "b.ts"))
  commit("2026-03-01")
  expect(await states()).toEqual(["gone", "gone", "valid"])
  expect(readFileSync(keptAt, "utf8")).toContain(git("rev-parse", "HEAD").trim())

  git("checkout", "-q", "-b", "other", "HEAD~2")
  rmSync(join(root, "c.ts"))
  commit("2026-04-01")
  expect(await states()).toEqual(["valid", "valid", "gone"])

  writeFileSync(keptAt, "something else")
  expect(await states()).toEqual(["valid", "valid", "gone"])
  rmSync(keptAt)
  expect(await states()).toEqual(["valid", "valid", "gone"])
  expect(existsSync(keptAt)).toBe(true)
})
