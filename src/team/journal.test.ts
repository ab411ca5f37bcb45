import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { makeRepository, readTree, runGit, writeFiles } from "../../test/run-cli.ts"
import { onFileOperation } from "../disk/atomic-write.ts"
import { openDrey } from "../drey.ts"
import { generated } from "../governance/cleared.ts"
import { applyChange, listChanges, undoLastChange, withStore } from "./change.ts"
import { stateFolder } from "./journal.ts"
import { findStore, folderOf, type StoreFolder } from "./team-folder.ts"

const now = new Date("2026-02-18T12:00:00Z")
const id = "00000001-20260218T120000Z"

/** A clone beside the user's files, and Drey's home separate from both. */
function makePlace(files: Record<string, string> = {}) {
  const top = makeRepository({ "user/.bashrc": "alias ll='ls -l'\n", "user/.ssh/id": "a key\n" })
  const root = join(top, "user/code/clone")
  writeFiles(root, { ".squad/decisions.md": "# Decisions\n", "README.md": "# Clone\n", ...files })
  runGit(root, "init", "-q")
  const home = join(top, "home")
  const folder = folderOf(findStore(root, home))
  return { top, root, home, folder, drey: openDrey({ root, now: () => now, environment: { DREY_HOME: home } }) }
}

type Place = ReturnType<typeof makePlace>

/** Everything that Drey must not change: the user's files, git's, and the clone except its audit and locks. */
function othersFiles({ top }: Place): Record<string, string> {
  const own = /^(?:home(?:$|\/)|user\/code\/clone\/\.squad\/(?:\.drey|memory|log)(?:\/|$))/
  return Object.fromEntries(Object.entries(readTree(top)).filter(([path]) => !own.test(path)))
}

/** Everything that takes the team folder's lock, whether it then continues or refuses. */
async function useEverything({ drey }: Place): Promise<void> {
  const memory = drey.governed
  const state = await drey.governed.stateFiles()
  const calls = [
    () => memory.search("moss"),
    () => drey.team.captureRules("Always use pnpm, never npm."),
    () => memory.write({ content: "Moss grows slowly", class: "LOCAL" }),
    () => state.write("log/today.md", "Nothing new.\n"),
    () => drey.team.changes.undo(),
    () => drey.team.changes.undo(),
    () => drey.team.changes.undo(),
    () => drey.team.changes.undo(),
  ]
  for (const call of calls) await call().catch((error) => expect(error).toMatchObject({ name: "DreyError" }))
}

const paths: [string, string][] = [
  ["git's hooks", "../.git/hooks/post-checkout"],
  ["a file of the clone", "../README.md"],
  ["a file of the user", "../../../.bashrc"],
  ["a path shorter than the team folder's", "../../../../x"],
  ["an absolute path", "/tmp/drey-written-by-a-clone"],
  ["git's folder below the team folder", "log/.git/config"],
  ["Windows' spelling of it", "log/GIT~1/config"],
  ["Drey's locks", ".drey/lock"],
  ["a plain file of the team", "planted.md"],
]

test.each(paths.flatMap((path) => (["applying", "undoing"] as const).map((state) => [state, ...path] as const)))(
  "a committed journal that is %s and names %s is never executed",
  async (state, _, path) => {
    const texts = { "0.after": "planted", "0.before": "planted", "1.after": "planted", "1.before": "planted" }
    const none = null
    const hash = "d1f4fdc7bbb2b93d6d7ce2e1ec5fb5ac3a9d46fd5de0b5d2a6d6b0e9a6a7b0f1"
    const manifest = {
      version: 1,
      id,
      command: "merge",
      createdAt: now.toISOString(),
      state,
      files: [
        { kind: "file", path, before: none, after: hash },
        { kind: "file", path, before: hash, after: none },
        { kind: "move", path: "taken", from: "../../../.ssh/id" },
        { kind: "move", path, from: "decisions.md" },
        { kind: "append", path: "../README.md", start: 0, added: "x" },
      ],
    }
    const changes = `.squad/.drey/changes/${id}`
    const files = Object.entries(texts).map(([name, text]) => [`${changes}/${name}`, text])
    const place = makePlace({ [`${changes}/manifest.json`]: JSON.stringify(manifest), ...Object.fromEntries(files) })
    const before = othersFiles(place)
    await useEverything(place)
    expect(othersFiles(place)).toEqual(before)
    expect(existsSync(join(place.root, changes, "manifest.json"))).toBe(true) // never deleted by itself either
    expect(listChanges(place.folder).map(({ command }) => command)).not.toContain("merge")
  },
)

test.each(paths.slice(0, -1))(
  "a journal in Drey's home that names %s is refused, and nothing is changed",
  async (_, path) => {
    const place = makePlace()
    const { folder } = place
    await withStore(folder, () => applyChange(folder, "edit", [added("log/a.md")], now))
    const [change] = listChanges(folder)
    const at = join(stateFolder(folder), "changes", change?.id ?? "", "manifest.json")
    const manifest = JSON.parse(readFileSync(at, "utf8"))
    for (const files of [
      [{ ...manifest.files[0], path }],
      [{ kind: "move", path, from: "decisions.md" }],
      [{ kind: "move", path: "x", from: path }],
      [{ kind: "move", path: "x", from: "decisions.md", back: path }],
    ]) {
      writeFileSync(at, JSON.stringify({ ...manifest, state: "undoing", files }))
      const before = othersFiles(place)
      await expect(withStore(folder, () => undefined)).rejects.toThrow(/not used|does not touch|not a file of the team/)
      expect(othersFiles(place)).toEqual(before)
    }
  },
)

test.each([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["another version", '{"version":2}'],
  ["a step of an unknown kind", JSON.stringify(withFiles([{ kind: "run", path: "x" }]))],
  ["a step without hashes", JSON.stringify(withFiles([{ kind: "file", path: "x" }]))],
  ["another id", JSON.stringify({ ...withFiles([]), id: "00000002-20260218T120000Z" })],
])("a manifest that is %s stops with a message that names it", async (_, text) => {
  const { folder } = makePlace()
  await withStore(folder, () => undefined)
  const at = join(stateFolder(folder), "changes", id, "manifest.json")
  mkdirSync(dirname(at), { recursive: true })
  writeFileSync(at, text)
  await expect(withStore(folder, () => undefined)).rejects.toThrow(/manifest\.json.* is not /)
})

test("links in .drey delete and overwrite nothing, however many names are behind them", async () => {
  const names = Array.from(
    { length: 60 },
    (_, at) => `user/many/${String(at).padStart(8, "0")}-20260101T000000Z/keep.md`,
  )
  const place = makePlace()
  writeFiles(place.top, Object.fromEntries(names.map((name) => [name, "kept\n"])))
  const own = join(place.root, ".squad/.drey")
  mkdirSync(own)
  symlinkSync("../../../../many", join(own, "changes"))
  symlinkSync("../../../../.bashrc", join(own, "writer"))
  symlinkSync("../../../../.bashrc", join(own, "writer.json"))
  symlinkSync("../../../../.bashrc", join(own, "installed.json"))
  const before = othersFiles(place)
  await useEverything(place)
  await place.drey.team.changes.forget()
  expect(othersFiles(place)).toEqual(before)
})

test("a .drey that is a link creates and changes nothing behind it", async () => {
  const place = makePlace()
  symlinkSync("../../..", join(place.root, ".squad/.drey"))
  const before = othersFiles(place)
  await useEverything(place)
  expect(othersFiles(place)).toEqual(before)
})

test("only changes that Drey made are pruned from its home, never through a link", async () => {
  const place = makePlace()
  const { folder } = place
  const keep = async (number: number) =>
    withStore(folder, () => applyChange(folder, "edit", [added(`log/${number}.md`)], now))
  await keep(0)
  const changes = join(stateFolder(folder), "changes")
  writeFiles(changes, { "00-notes/keep.md": "mine\n" })
  symlinkSync("../../../../../user/.ssh", join(changes, "00000000-20260101T000000Z"))
  for (let number = 1; number <= 55; number++) await keep(number)
  expect(readdirSync(changes)).toHaveLength(50 + 2)
  expect(readFileSync(join(changes, "00-notes/keep.md"), "utf8")).toBe("mine\n")
  expect(readdirSync(join(place.top, "user/.ssh"))).toEqual(["id"])
})

test("backups are not written through a link", async () => {
  const legacy =
    "# Decisions\n\n### 2026-02-10: Use tabs\n\n**By:** Kane\n**What:** Tabs.\n**Why:** Width is a choice.\n"
  const place = makePlace({ ".squad/decisions.md": legacy })
  symlinkSync("../../..", join(place.root, ".squad/backups"))
  const before = othersFiles(place)
  const result = await place.drey.team.conversion.apply(await place.drey.team.conversion.plan({}))
  expect(result.failed).toEqual([
    expect.objectContaining({ message: expect.stringContaining("out of the repository") }),
  ])
  expect(othersFiles(place)).toEqual(before)
})

test.each(["log/.git/config", "log/.GIT/config", "log/.git./hooks/post-checkout", ".drey/lock", "log/.drey/lock"])(
  "an agent cannot write team state under %s",
  async (key) => {
    const place = makePlace()
    const before = readTree(place.root)
    const state = await place.drey.governed.stateFiles()
    await expect(state.write(key, "x")).rejects.toThrow("Not a valid team state key")
    expect(readTree(place.root)).toEqual(before)
  },
)

test("scrubbed text is in no file of the repository, and private to the user", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
  const place = makePlace({ ".squad/decisions.md": `# Decisions\n\nSign in with ${token}.\n` })
  await place.drey.team.scrub.apply(await place.drey.team.scrub.plan())
  expect(JSON.stringify(readTree(place.root))).not.toContain(token)
  const kept = Object.entries(readTree(place.home)).filter(([, text]) => text.includes(token))
  expect(kept).toHaveLength(1)
  for (const path of Object.keys(readTree(place.home)).filter((name) => name.startsWith("state"))) {
    const found = statSync(join(place.home, path))
    expect([path, found.mode & 0o777]).toEqual([path, found.isDirectory() ? 0o700 : 0o600])
  }
  expect(await place.drey.team.changes.forget()).toBe(1)
  expect(JSON.stringify(readTree(place.home))).not.toContain(token)
})

test("a folder that was moved, copied or cloned again starts with nothing to undo or to finish", async () => {
  const place = makePlace()
  const { root, folder } = place
  const change = () => withStore(folder, () => applyChange(folder, "edit", [added("log/a.md")], now))
  await change()
  const movedTo = `${root}-moved`
  cpSync(root, `${root}-copied`, { recursive: true })
  renameSync(root, movedTo)
  for (const path of [movedTo, `${root}-copied`]) expect(listChanges(folderOf(findStore(path, place.home)))).toEqual([])
  writeFiles(root, { ".squad/decisions.md": "# Decisions\n", ".squad/log/a.md": "added\n" })
  expect(listChanges(folder)).toEqual([])
  await expect(withStore(folder, () => undoLastChange(folder))).rejects.toThrow("There is no change to undo")
  rmSync(root, { recursive: true })
  renameSync(movedTo, root)
  expect(listChanges(folder)).toHaveLength(1) // back in its place it is the same checkout as before
})

test("two homes on one checkout take turns", async () => {
  const { root, folder, top } = makePlace()
  const other: StoreFolder = { ...folder, home: join(top, "other-home") }
  const order: string[] = []
  const work = (name: string, at: StoreFolder) =>
    withStore(at, async () => {
      order.push(`${name} begins`)
      await new Promise(setImmediate)
      applyChange(at, name, [added(`log/${name}.md`)], now)
      order.push(`${name} ends`)
    })
  await Promise.all([work("one", folder), work("two", other)])
  const [first = ""] = order
  const second = first.startsWith("one") ? "two" : "one"
  expect(order).toEqual([first, first.replace("begins", "ends"), `${second} begins`, `${second} ends`])
  expect(listChanges(folder).map(({ command }) => command)).toEqual(["one"])
  expect(listChanges(other).map(({ command }) => command)).toEqual(["two"])
  expect(readdirSync(join(root, ".squad/log"))).toEqual(["one.md", "two.md"])
})

test("a file saved while a change is applied keeps its content, and the change is reverted", async () => {
  const { root, folder } = makePlace()
  const path = join(root, ".squad/decisions.md")
  const changes = [
    added("log/a.md"),
    { path: "decisions.md", before: "# Decisions\n", after: generated("# Decisions\n\nOne more.\n") },
  ]
  let saved = false
  onFileOperation((operation, at) => {
    if (operation !== "rename" || at !== path || saved) return
    saved = true
    writeFileSync(path, "# Decisions\n\nSaved by somebody.\n")
  })
  onTestFinished(() => onFileOperation(undefined))
  await expect(withStore(folder, () => applyChange(folder, "edit", changes, now))).rejects.toThrow(
    "changed in the meantime; nothing was written",
  )
  expect(readFileSync(path, "utf8")).toBe("# Decisions\n\nSaved by somebody.\n")
  expect(existsSync(join(root, ".squad/log/a.md"))).toBe(false)
  await withStore(folder, () => undefined)
})

test("an interrupted change is reverted if a file was changed since, so no unique text is removed", async () => {
  const { root, folder } = makePlace({ ".squad/decisions/inbox/a.md": "proposal\n" })
  const changes = [
    { path: "decisions.md", before: "# Decisions\n", after: generated("# Decisions\n\nproposal\n") },
    { path: "decisions/inbox/a.md", before: "proposal\n", after: null },
  ]
  onFileOperation((operation, at) => {
    if (operation === "rename" && at.endsWith("decisions.md")) throw new Error("killed here")
    if (operation === "rename" && at.endsWith("manifest.json") && stopped) throw new Error("and stays dead")
    if (operation === "rename" && at.endsWith("manifest.json")) stopped = true
  })
  let stopped = false
  await expect(withStore(folder, () => applyChange(folder, "merge", changes, now))).rejects.toThrow()
  onFileOperation(undefined)
  writeFiles(root, { ".squad/decisions.md": "# Decisions\n\nSaved by somebody.\n" })
  await withStore(folder, () => undefined)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe("# Decisions\n\nSaved by somebody.\n")
  expect(readFileSync(join(root, ".squad/decisions/inbox/a.md"), "utf8")).toBe("proposal\n")
  expect(listChanges(folder)).toMatchObject([{ command: "merge", undone: true }])
})

test.each([
  ["decisions.md", "../../../.bashrc"],
  ["agents", "../../.."],
  ["log", "../.git/hooks"],
  ["memory", "../.git"],
  ["memory/index.json.corrupt", "../../../../.bashrc"],
])("a link at .squad/%s changes nothing outside of the repository or in git's folder", async (name, target) => {
  const place = makePlace(name.startsWith("memory/") ? { ".squad/memory/index.json": "{" } : {})
  rmSync(join(place.root, ".squad", name), { force: true })
  symlinkSync(target, join(place.root, ".squad", name))
  const before = othersFiles(place)
  await useEverything(place)
  expect(othersFiles(place)).toEqual(before)
})

test("a team folder that is a link into git's own folder is not written to", async () => {
  const place = makePlace()
  rmSync(join(place.root, ".squad"), { recursive: true })
  symlinkSync(".git/hooks", join(place.root, ".squad"))
  const hooks = () => readdirSync(join(place.root, ".git/hooks"))
  const before = hooks()
  await useEverything(place)
  expect(hooks()).toEqual(before)
})

test.each([".gitattributes", "drey-export.json", "view"])(
  "a link at %s is not followed out of a clone",
  async (name) => {
    const place = makePlace({ ".squad/agents/kane/history.md": "# Kane\n\nA lesson.\n" })
    for (const target of ["../../.bashrc", "../../made-by-a-clone"]) {
      symlinkSync(name === "view" ? dirname(target) : target, join(place.root, name))
      const before = othersFiles(place)
      const { drey, root } = place
      const calls = {
        ".gitattributes": async () => drey.team.setUp.apply(await drey.team.setUp.plan({ command: "init" })),
        "drey-export.json": () => drey.team.export(),
        view: () => drey.team.squadUiView({ out: join(root, "view") }),
      }
      await expect(calls[name as keyof typeof calls]()).rejects.toThrow(/leads out of the repository|link to nothing/)
      expect(othersFiles(place)).toEqual(before)
      rmSync(join(root, name))
    }
  },
)

function added(path: string) {
  return { path, before: null, after: generated("added\n") }
}

function withFiles(files: object[]): object {
  return { version: 1, id, command: "merge", createdAt: now.toISOString(), state: "applying", files }
}
