import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { pathFromRoot } from "./context.ts"

test("a path is relative to the working directory, through links too; one outside is unchanged", () => {
  const base = makeRepository({})
  const root = join(base, "repository")
  mkdirSync(join(root, "src/api"), { recursive: true })
  symlinkSync(root, join(base, "link"))
  expect(pathFromRoot("src/api", root, root)).toBe("src/api")
  expect(pathFromRoot("./api/", root, join(root, "src"))).toBe("src/api")
  expect(pathFromRoot("new/file.ts", root, join(root, "src/api"))).toBe("src/api/new/file.ts")
  expect(pathFromRoot("../../docs", root, join(root, "src/api"))).toBe("docs")
  expect(pathFromRoot(join(base, "link/src/api/routes.ts"), root, root)).toBe("src/api/routes.ts")
  expect(pathFromRoot("api", join(base, "link"), join(root, "src"))).toBe("src/api")
  expect(pathFromRoot("src/api", root, base)).toBe("src/api")
  expect(pathFromRoot("../elsewhere", root, root)).toBe("../elsewhere")
  expect(pathFromRoot("a\0b", root, root)).toBe("a\0b")
})
