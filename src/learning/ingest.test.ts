import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { projectIdOf } from "../memories/project-id.ts"
import { type KnownProject, openProjectFinder } from "./ingest.ts"

/** A repository `outer` that Drey knows, and a place to put others. */
function openPlace(given: Partial<KnownProject> = {}) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "drey-find-project-")))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const makeFolder = (...names: string[]) => {
    const path = join(top, ...names)
    mkdirSync(path, { recursive: true })
    return path
  }
  const root = join(makeFolder("outer", ".git"), "..")
  makeFolder("outer", ".squad")
  const outer = { id: projectIdOf(root).id, root, aliases: [], ...given }
  return { top, outer, makeFolder, find: openProjectFinder([outer]) }
}

test("a directory belongs to the project around it, whether it exists or not", () => {
  const { outer, makeFolder, find, top } = openPlace()
  expect(find(makeFolder("outer", "src", "pages"))).toEqual(outer)
  expect(find(join(outer.root, "worktrees", "gone"))).toEqual(outer)
  expect(find(join(top, "outermost"))).toBeUndefined()
})

test.each([".git", ".squad"])("a folder with its own %s is not part of the project around it", (mark) => {
  const { outer, makeFolder, find } = openPlace()
  makeFolder("outer", "inner", mark)
  const inner = find(makeFolder("outer", "inner", "src"))
  expect(inner?.root).toBe(join(outer.root, "inner"))
  expect(inner?.id).not.toBe(outer.id)
})

test("a project with a configured id is found in its folders, links to them and worktrees", () => {
  const { outer, makeFolder, find, top } = openPlace({ id: "p-0123456789abcdef" })
  makeFolder("outer", ".git", "worktrees", "fix")
  const worktree = makeFolder("outer", ".worktrees", "fix")
  writeFileSync(join(worktree, ".git"), `gitdir: ${join(outer.root, ".git", "worktrees", "fix")}\n`)
  writeFileSync(join(outer.root, ".git", "worktrees", "fix", "commondir"), "../..\n")
  symlinkSync(outer.root, join(top, "link"))
  for (const path of [join(outer.root, ".squad"), worktree, join(top, "link")])
    expect(find(path), path).toMatchObject({ id: "p-0123456789abcdef" })
})

test("a deleted project is not mistaken for the repository around it", () => {
  const { outer, find } = openPlace()
  const gone = { id: "p-gone", root: join(outer.root, "packages", "gone"), aliases: [] }
  expect(openProjectFinder([gone])(outer.root)).toEqual({ id: outer.id, root: outer.root })
  expect(find(gone.root)).toEqual(outer)
})
