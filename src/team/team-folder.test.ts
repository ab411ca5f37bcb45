import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { DreyError } from "../errors.ts"
import { findStore, sessionsRoot } from "./team-folder.ts"

const home = "/home/ines/.drey"

test("the nearest team folder or git repository upwards is the root", () => {
  const root = makeRepository({ ".squad/team.md": "", "app/.git/HEAD": "", "app/src/index.ts": "" })
  expect(findStore(join(root, "app/src"), home)).toEqual({ root: join(root, "app"), home, folders: [] })
  expect(findStore(root, home)).toMatchObject({ root, folders: [{ name: ".squad", home }] })
})

test("an orchestrator's sessions mark a root only if nothing else does", () => {
  const root = makeRepository({ ".rawko/config.yaml": "", "src/index.ts": "" })
  expect(findStore(join(root, "src"), home)).toEqual({ root, home, folders: [] })
  const team = makeRepository({ ".squad/team.md": "", "app/.rawko/config.yaml": "" })
  expect(findStore(join(team, "app"), home).root).toBe(team)
})

test.each([
  ["beside the team's entries", { ".squad/team.md": "" }, ".squad/sessions"],
  ["in the older team folder where that is the only one", { ".ai-team/team.md": "" }, ".ai-team/sessions"],
  ["in the newer of two team folders", { ".ai-team/team.md": "", ".squad/team.md": "" }, ".squad/sessions"],
  ["in .rawko where there is such a folder", { ".squad/team.md": "", ".rawko/x": "" }, ".rawko/sessions"],
  ["in .squad where there is nothing yet", { "README.md": "" }, ".squad/sessions"],
])("sessions are kept %s", (_, files, expected) => {
  const root = makeRepository(files)
  expect(sessionsRoot(root, undefined)).toBe(join(root, expected))
})

test("the setting names another folder of the repository", () => {
  const root = makeRepository({ ".squad/team.md": "" })
  expect(sessionsRoot(root, "work/sessions")).toBe(join(root, "work/sessions"))
})

test.each(["..", "../elsewhere", "/etc", ".", "a/../..", ".git/hooks", "a/.GIT"])(
  "the setting %j leads out of the repository, or into git's own folder",
  (configured) => {
    const root = makeRepository({ ".squad/team.md": "" })
    expect(() => sessionsRoot(root, configured)).toThrow(DreyError)
  },
)

test("a link that leads out of the repository is not followed, unless it is the team folder itself", () => {
  const elsewhere = makeRepository({ "team/team.md": "" })
  const root = makeRepository({ "README.md": "" })
  symlinkSync(join(elsewhere, "team"), join(root, ".squad"))
  expect(sessionsRoot(root, undefined)).toBe(join(root, ".squad/sessions"))
  symlinkSync(elsewhere, join(root, "link"))
  expect(() => sessionsRoot(root, "link/sessions")).toThrow(DreyError)
  mkdirSync(join(elsewhere, "rawko"))
  symlinkSync(join(elsewhere, "rawko"), join(root, ".rawko"))
  expect(() => sessionsRoot(root, undefined)).toThrow(DreyError)
})
