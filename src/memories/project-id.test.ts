import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { normalizeRemote, projectIdOf, remoteIn } from "./project-id.ts"

function folder(files: Record<string, string> = {}): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "drey-project-")))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(made, name)), { recursive: true })
    writeFileSync(join(made, name), text)
  }
  return made
}

const withRemote = (url: string) => ({
  ".git/config": `[remote "origin"]\n\turl = ${url}\n`,
  ".git/HEAD": "ref: refs/heads/main\n",
})
const withoutRemote = { ".git/config": "[core]\n\tbare = false\n" }
const idOf = (path: string) => projectIdOf(path).id

test("two checkouts of one repository are one project, whatever their folder names and spelling of the remote", () => {
  const one = folder(withRemote("git@github.com:acme/api.git"))
  const other = folder(withRemote("https://kim:token@GitHub.com/acme/api"))
  expect(idOf(one)).toMatch(/^p-[0-9a-f]{16}$/)
  expect(idOf(other)).toBe(idOf(one))
  expect(idOf(folder(withRemote("git@github.com:acme/web.git")))).not.toBe(idOf(one))
})

test("two projects with the same folder name are different", () => {
  const [one, other] = [folder({ "api/.git/config": "" }), folder({ "api/.git/config": "" })]
  expect(idOf(join(one, "api"))).not.toBe(idOf(join(other, "api")))
  const [plain, alike] = [folder({ "api/x": "" }), folder({ "api/x": "" })]
  expect(idOf(join(plain, "api"))).not.toBe(idOf(join(alike, "api")))
})

test("a folder that becomes a repository stays the same project", () => {
  const made = folder({ ".squad/team.md": "" })
  const before = idOf(made)
  mkdirSync(join(made, ".git"))
  writeFileSync(join(made, ".git", "config"), "")
  expect(idOf(made)).toBe(before)
})

test("every folder of a repository belongs to it, down to a separate team folder", () => {
  const root = folder({
    ...withRemote("git@github.com:acme/mono.git"),
    "packages/api/.squad/team.md": "",
    "packages/api/src/a.ts": "",
    "docs/b.md": "",
  })
  expect(projectIdOf(join(root, "docs"))).toEqual(projectIdOf(root))
  const api = projectIdOf(join(root, "packages/api/src"))
  expect(api.root).toBe(join(root, "packages/api"))
  expect(api.id).not.toBe(idOf(root))
  const clone = folder({ ...withRemote("https://github.com/acme/mono"), "packages/api/.squad/team.md": "" })
  expect(idOf(join(clone, "packages/api"))).toBe(api.id)
})

test("worktrees share their repository's id, with and without a remote", () => {
  for (const files of [withRemote("git@github.com:acme/api.git"), withoutRemote]) {
    const main = folder({ ...files, ".git/worktrees/fix/commondir": "../..\n", "packages/api/.squad/team.md": "" })
    const worktree = folder({ ".git": `gitdir: ${main}/.git/worktrees/fix\n`, "packages/api/.squad/team.md": "" })
    expect(idOf(worktree)).toBe(idOf(main))
    expect(projectIdOf(worktree).gitFolder).toBe(projectIdOf(main).gitFolder)
    expect(idOf(join(worktree, "packages/api"))).toBe(idOf(join(main, "packages/api")))
  }
})

test("a submodule is a separate project", () => {
  const main = folder({
    ...withRemote("git@github.com:acme/app.git"),
    "lib/.git": "gitdir: ../.git/modules/lib\n",
    ".git/modules/lib/config": '[remote "origin"]\nurl = git@github.com:acme/lib.git\n',
  })
  expect(idOf(join(main, "lib"))).toBe(idOf(folder(withRemote("https://github.com/acme/lib.git"))))
})

test("a link leads to the same project", () => {
  const root = folder(withoutRemote)
  const link = join(folder(), "link")
  symlinkSync(root, link)
  expect(projectIdOf(link)).toEqual(projectIdOf(root))
})

test("a deleted folder belongs to the repository it was in; a path of another system is only a name", () => {
  const root = folder(withoutRemote)
  expect(idOf(join(root, ".claude/worktrees/gone/src"))).toBe(idOf(root))
  const windows = projectIdOf("C:\\Users\\kim\\api")
  expect(windows.root).toBe("C:\\Users\\kim\\api")
  expect(windows.id).not.toBe(idOf(process.cwd()))
})

test("the user's own settings win: an id is used unchanged, a name for every root that uses it", () => {
  const [one, other] = [folder(withoutRemote), folder()]
  expect(projectIdOf(one, { id: "p-0123456789abcdef" }).id).toBe("p-0123456789abcdef")
  expect(projectIdOf(one, { id: "acme-api" }).id).toBe(projectIdOf(other, { id: "acme-api" }).id)
  expect(projectIdOf(one, { id: "" }).id).toBe(idOf(one))
})

test("the user's own settings may be for one root, or for one remote in any spelling", () => {
  const [one, other] = [
    folder(withRemote("git@github.com:acme/api.git")),
    folder(withRemote("git@github.com:acme/web.git")),
  ]
  for (const key of [one, "github.com/acme/api", "https://github.com/acme/api.git", "git@github.com:acme/api"]) {
    const settings = { places: { [key]: "p-0123456789abcdef" } }
    expect(projectIdOf(one, settings)).toMatchObject({ id: "p-0123456789abcdef", formerly: "any" })
    expect(projectIdOf(other, settings).id).toBe(idOf(other))
  }
})

test("a repository cannot name the project of another remote, by its id or by a name", () => {
  const secret = folder(withRemote("git@github.com:acme/private.git"))
  const clone = folder(withRemote("git@github.com:mallory/fun.git"))
  expect(projectIdOf(clone, { name: idOf(secret) }).id).toBe(idOf(clone))
  const named = projectIdOf(secret, { name: "acme-api" }).id
  for (const name of ["acme-api", named, "named:acme-api", "\nremote:github.com/acme/private\nnamed:acme-api"])
    expect([named, idOf(secret)]).not.toContain(projectIdOf(clone, { name }).id)
  expect(projectIdOf(secret, { id: "acme-api" }).id).not.toBe(projectIdOf(clone, { name: "acme-api" }).id)
})

test("a name distinguishes projects of one repository, the same in every clone of it", () => {
  const files = { ...withRemote("git@github.com:acme/mono.git"), "api/.squad/team.md": "" }
  const [one, other] = [folder(files), folder(files)]
  const named = projectIdOf(join(one, "api"), { name: "api" }).id
  expect(named).not.toBe(idOf(join(one, "api")))
  expect(projectIdOf(join(other, "api"), { name: "api" }).id).toBe(named)
})

test("a repository is recognised after its remote changed, and a copy in its place is another one", () => {
  const root = folder(withRemote("git@github.com:acme/old.git"))
  const before = projectIdOf(root)
  writeFileSync(join(root, ".git/config"), '[remote "origin"]\nurl = git@github.com:acme/new.git\n')
  const after = projectIdOf(root)
  expect(after.id).not.toBe(before.id)
  expect(after.gitFolder).toBe(before.gitFolder)
  cpSync(join(root, ".git"), join(root, "copy"), { recursive: true })
  renameSync(join(root, ".git"), join(root, "was"))
  renameSync(join(root, "copy"), join(root, ".git"))
  expect(projectIdOf(root).gitFolder).not.toBe(before.gitFolder)
})

test.each([
  ["https://github.com/acme/api.git", "github.com/acme/api"],
  ["https://kim:secret@GitHub.com/acme/api", "github.com/acme/api"],
  ["https://github.com:443/acme/api/", "github.com/acme/api"],
  ["git@github.com:acme/api.git", "github.com/acme/api"],
  ["github.com:acme/api", "github.com/acme/api"],
  ["git@github.com:/acme/api.git", "github.com/acme/api"],
  ["ssh://git@github.com:22/acme/api.git", "github.com/acme/api"],
  ["git://github.com/acme/api.git/", "github.com/acme/api"],
  ["https://git.example.org/group/sub/Api.git", "git.example.org/group/sub/Api"],
  ["ssh://git@[2001:db8::1]:22/acme/api", "[2001:db8::1]/acme/api"],
  ["/srv/git/api.git", "/srv/git/api"],
  ["../api.git", "/home/kim/api"],
  ["file:///srv/git/api.git", "/srv/git/api"],
])("%s is %s", (remote, normal) => {
  expect(normalizeRemote(remote, "/home/kim/work")).toBe(normal)
})

test("origin is the remote, however git's configuration is written", () => {
  const config = `[core]\n\tbare = false\n; url = commented\n[Remote "upstream"]\n\turl = one\n[remote "origin"]\r\n\tfetch = +refs\r\n\tURL = "two#2" # why\r\n\turl = three\r\n[branch "main"]\n\turl = four`
  expect(remoteIn(config)).toBe("two#2")
  expect(remoteIn('[remote "a b"] url = on\\\ne\n')).toBe("one")
  expect(remoteIn('[remote "one"]\nurl = 1\n[remote "two"]\nurl = 2')).toBe("1")
  expect(remoteIn('[core]\nurl = x\n[remote "origin"]\nfetch = y')).toBeUndefined()
  expect(remoteIn("")).toBeUndefined()
})
