import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { isGitName, requireInRepository, requireTeamFolder, safePath, safeTarget } from "./safe-paths.ts"

/** A clone with a team folder, and a folder beside it that is none of its business. */
function makePlace() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "drey-paths-")))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const root = join(top, "clone")
  for (const name of [".git/hooks", ".squad/log", "docs"]) mkdirSync(join(root, name), { recursive: true })
  mkdirSync(join(top, "outside"))
  writeFileSync(join(top, "outside/.bashrc"), "")
  return { top, root, folder: { path: join(root, ".squad") } }
}

function link(root: string, name: string, target: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  symlinkSync(target, join(root, name))
}

test.each([
  ["..", /does not stay below/],
  ["../x", /does not stay below/],
  ["a/../../../x", /does not stay below/],
  ["log/../../.git/hooks/post-checkout", /does not stay below/],
  ["..\\..\\x", /does not stay below/],
  ["/etc/passwd", /does not stay below/],
  ["C:\\Windows\\x", /does not stay below/],
  ["c:x", /does not stay below/],
  ["\\\\host\\share", /does not stay below/],
  ["log/a\0b", /does not stay below/],
  [".git/config", /git's own folder/],
  ["log/.git/config", /git's own folder/],
  ["log/.GIT/config", /git's own folder/],
  ["log/.git./config", /git's own folder/],
  ["log/.git /config", /git's own folder/],
  ["log/GIT~1/config", /git's own folder/],
  ["log/.git::$INDEX_ALLOCATION/config", /git's own folder/],
  ["log/.g\u200cit/config", /git's own folder/],
  ["log\\.git\\config", /git's own folder/],
])("the path %j is refused, whether it exists or not", (path, message) => {
  const { folder } = makePlace()
  expect(() => requireInRepository(folder, path)).toThrow(message)
})

test("names that only look like git's are allowed", () => {
  expect([".gitignore", ".gitattributes", "git", "x.git", ".github"].filter(isGitName)).toEqual([])
})

test("a path below the team folder resolves to itself, whether it exists or not", () => {
  const { folder } = makePlace()
  for (const path of ["", "decisions.md", "log/new/deep.md", "a..b/x"])
    expect(requireInRepository(folder, path)).toBe(join(folder.path, path))
})

test("a link inside the repository is followed, one that leaves it or dangles is not", () => {
  const { root, folder } = makePlace()
  link(root, ".squad/decisions.md", "../docs/decisions-there.md")
  expect(() => requireInRepository(folder, "decisions.md")).toThrow("link to nothing")
  writeFileSync(join(root, "docs/decisions-there.md"), "")
  expect(requireInRepository(folder, "decisions.md")).toBe(join(root, "docs/decisions-there.md"))
  link(root, ".squad/out.md", "../../outside/.bashrc")
  link(root, ".squad/backups", "../../outside")
  for (const path of ["out.md", "backups", "backups/convert/x.md"])
    expect(() => requireInRepository(folder, path)).toThrow("leads out of the repository")
})

test("a link into git's own folder is not followed, although it is inside the repository", () => {
  const { root, folder } = makePlace()
  link(root, ".squad/agents", "../.git/hooks")
  expect(() => requireInRepository(folder, "agents/post-checkout")).toThrow("git's own folder")
  rmSync(folder.path, { recursive: true })
  link(root, ".squad", ".git/hooks")
  expect(() => requireTeamFolder(folder)).toThrow("git's own folder")
})

test("a folder whose name begins like the repository's is outside of it", () => {
  const { top, root, folder } = makePlace()
  mkdirSync(join(top, "clone-other"))
  link(root, ".squad/near", "../../clone-other")
  expect(() => requireInRepository(folder, "near/x.md")).toThrow("leads out of the repository")
})

test("the user's own links outside of a repository are followed, a clone's links out of it are not", () => {
  const { top, root } = makePlace()
  link(top, "home/settings.json", "../outside/.bashrc")
  link(top, "home/new.json", "../outside/later.json")
  expect(safeTarget(root, join(top, "home/settings.json"))).toBe(join(top, "outside/.bashrc"))
  expect(safeTarget(undefined, join(top, "home/new.json"))).toBe(join(top, "outside/later.json"))
  link(root, ".claude", "../outside")
  link(root, "AGENTS.md", "../outside/.bashrc")
  link(root, "drey-export.json", "../outside/not-there.json")
  expect(() => safeTarget(root, join(root, ".claude/settings.json"))).toThrow("leads out of the repository")
  expect(() => safeTarget(root, join(root, "AGENTS.md"))).toThrow("leads out of the repository")
  expect(() => safeTarget(root, join(root, "drey-export.json"))).toThrow("link to nothing")
  expect(() => safePath(root, ".git/config")).toThrow("git's own folder")
})
