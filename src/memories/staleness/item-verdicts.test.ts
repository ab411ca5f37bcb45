import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { judgeItems } from "./item-verdicts.ts"
import { gitIn, makeFolder, makeRepository, source, writeFiles } from "./test-repository.ts"

test("an existing file is valid, by its path, its bare name, and the end of its path", async () => {
  const { root, write, commit } = makeRepository()
  write({ "src/mail/queue.ts": source("queue") })
  commit("2026-01-01")
  expect(
    await verdicts(root, "See `src/mail/queue.ts:12`, `queue.ts`, `mail/queue.ts` and the folder `src/mail/`."),
  ).toEqual({
    "src/mail/queue.ts:12": { state: "valid" },
    "queue.ts": { state: "valid" },
    "mail/queue.ts": { state: "valid" },
    "src/mail/": { state: "valid" },
  })
})

test("a renamed file is moved to where git finds its content, over several renames", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "src/old.ts": source("old"), "src/other.ts": source("other") })
  commit("2026-01-01")
  git("mv", "src/old.ts", "src/middle.ts")
  commit("2026-02-01")
  git("mv", "src/middle.ts", "src/new.ts")
  commit("2026-03-02")
  expect(await verdicts(root, "Retries are in src/old.ts, and in `old.ts` alone.")).toEqual({
    "src/old.ts": { state: "moved", to: "src/new.ts", day: "2026-02-01" },
    "old.ts": { state: "moved", to: "src/new.ts", day: "2026-02-01" },
  })
})

test("a deleted file is gone since its last deletion, and a restored one is valid", async () => {
  const { root, write, commit } = makeRepository()
  write({ "src/a.ts": source("a"), "src/b.ts": source("b"), "src/keep.ts": source("keep") })
  commit("2026-01-01")
  rmSync(join(root, "src/a.ts"))
  rmSync(join(root, "src/b.ts"))
  commit("2026-02-01")
  write({ "src/b.ts": source("b") })
  commit("2026-02-02")
  expect(await verdicts(root, "`src/a.ts` calls `src/b.ts`.")).toEqual({
    "src/a.ts": { state: "gone", day: "2026-02-01" },
    "src/b.ts": { state: "valid" },
  })
})

test("an uncommitted deletion or rename counts, without a date", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "src/a.ts": source("a"), "src/b.ts": source("b") })
  commit("2026-01-01")
  rmSync(join(root, "src/a.ts"))
  git("mv", "src/b.ts", "src/c.ts")
  expect(await verdicts(root, "`src/a.ts` calls `src/b.ts` and `src/c.ts`.")).toEqual({
    "src/a.ts": { state: "gone", day: undefined },
    "src/b.ts": { state: "moved", to: "src/c.ts", day: undefined },
    "src/c.ts": { state: "valid" },
  })
})

test("a folder is moved where most of its files went, and gone if they were deleted", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "lib/one.ts": source("one"), "lib/in/two.ts": source("two"), "tmp/x.ts": source("x"), "README.md": "Hello" })
  commit("2026-01-01")
  git("mv", "lib", "source")
  rmSync(join(root, "tmp"), { recursive: true })
  commit("2026-02-01")
  expect(await verdicts(root, "All code is in `lib/`, all trials in `./tmp/`, see `lib/in/two.ts`.")).toEqual({
    "lib/": { state: "moved", to: "source", day: "2026-02-01" },
    "./tmp/": { state: "gone", day: "2026-02-01" },
    "lib/in/two.ts": { state: "moved", to: "source/in/two.ts", day: "2026-02-01" },
  })
})

test("a path that git never had is unverifiable, and a word that may not be a path is not counted", async () => {
  const { root, write, commit } = makeRepository()
  write({ "src/a.ts": source("a"), ".gitignore": "dist/\n" })
  commit("2026-01-01")
  const text =
    "Plan: `src/later.ts`. Either/or, `and/or`, https://example.com/a.ts, `example.com/a.ts`, `~/.drey/drey.db`, `/etc/hosts`, `feature/login`, `text/html`, `@scope/package`, `src/*.ts`, `console.log`. Built into `dist/cli.js`."
  expect(await verdicts(root, text)).toEqual({
    "src/later.ts": { state: "unverifiable", reason: "git has never had it" },
    "dist/cli.js": { state: "unverifiable", reason: "git ignores it" },
  })
})

test("an item that mentions the removal itself needs no verdict", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "src/a.ts": source("a"), "src/b.ts": source("b"), "src/c.ts": "export function loadAll() {}\n" })
  commit("2026-01-01")
  git("mv", "src/a.ts", "src/z.ts")
  rmSync(join(root, "src/b.ts"))
  write({ "src/c.ts": "export function loadSome() {}\n" })
  commit("2026-02-01")
  const text = "`src/a.ts` → `z.ts`. `src/b.ts` was removed, `loadAll()` is replaced by `loadSome()`."
  const found = await verdicts(root, text)
  expect(Object.values(found).map(({ state }) => state)).toEqual([
    "unverifiable",
    "valid",
    "unverifiable",
    "unverifiable",
    "valid",
  ])
})

test("a merged proposal, whose file no longer exists, is not reported", async () => {
  const { root, write, commit } = makeRepository()
  write({ ".squad/decisions/inbox/kane-tabs.md": source("a"), "src/a.ts": source("b") })
  commit("2026-01-01")
  rmSync(join(root, ".squad"), { recursive: true })
  commit("2026-02-01")
  const reason = "the team folder moves its own files"
  expect(await verdicts(root, "See `.squad/decisions/inbox/kane-tabs.md`, decisions/inbox/kane-tabs.md.")).toEqual({
    ".squad/decisions/inbox/kane-tabs.md": { state: "unverifiable", reason },
    "decisions/inbox/kane-tabs.md": { state: "unverifiable", reason },
  })
})

test("a bare name or a deletion from before the item was written proves nothing, a rename still counts", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "config.json": '{ "a": 1 }', "docs/plan.md": source("plan"), "src/a.ts": source("a") })
  commit("2025-01-01")
  rmSync(join(root, "config.json"))
  rmSync(join(root, "docs/plan.md"))
  git("mv", "src/a.ts", "src/z.ts")
  commit("2025-02-01")
  expect(await verdicts(root, "The user's `config.json` and `docs/plan.md` say so; `src/a.ts` reads them.")).toEqual({
    "config.json": { state: "unverifiable", reason: "an earlier file of this name was gone before this was written" },
    "docs/plan.md": { state: "unverifiable", reason: "an earlier file of this name was gone before this was written" },
    "src/a.ts": { state: "moved", to: "src/z.ts", day: "2025-02-01" },
  })
})

test("a symbol is valid in source code, gone if the code of that time had it, otherwise unverifiable", async () => {
  const { root, write, commit } = makeRepository()
  write({
    "src/api.ts": "export function fetchUser() {}\nexport class UserStore { readAll() {} }\nconst MAX_SIZE = 1\n",
    "cli.ts": 'option("--dry-run").option("--force")\n',
    "env.sh": "echo $APP_TOKEN\n",
  })
  commit("2026-01-01")
  write({
    "src/api.ts": "export class UserStore { readOne() {} }\n",
    "cli.ts": 'option("--dry-run")\n',
    "CHANGELOG.md": "Less of fetchUser.",
  })
  commit("2026-02-01")
  const text =
    "`fetchUser()`, `UserStore.readAll`, `UserStore`, `MAX_SIZE`, `--dry-run`, `--force`, `$APP_TOKEN`, `APP_TOKEN`, `useState`, `string`, `true`."
  const last = { path: "src/api.ts", day: "2026-01-01" }
  expect(await verdicts(root, text)).toEqual({
    "fetchUser()": { state: "gone", last },
    "UserStore.readAll": { state: "gone", last },
    UserStore: { state: "valid" },
    MAX_SIZE: { state: "gone", last },
    "--dry-run": { state: "valid" },
    "--force": { state: "gone", last: { path: "cli.ts", day: "2026-01-01" } },
    $APP_TOKEN: { state: "valid" },
    useState: { state: "unverifiable", reason: "no file has it, and no earlier file is known to have had it" },
  })
})

test("the team's own memory neither keeps a symbol alive nor proves one", async () => {
  const { root, write, commit } = makeRepository()
  write({ "src/a.ts": "openStore()\n", ".squad/decisions.md": "`openStore` and `neverThere`\n" })
  commit("2026-01-01")
  write({ "src/a.ts": "nothing()\n" })
  commit("2026-02-01")
  expect(await verdicts(root, "`openStore` `neverThere`")).toMatchObject({
    openStore: { state: "gone" },
    neverThere: { state: "unverifiable" },
  })
})

test("a script or a target is valid, or gone if a manifest of that time had it", async () => {
  const { root, write, commit } = makeRepository()
  write({
    "package.json": '{ "scripts": { "test": "vitest", "lint": "biome" } }',
    "packages/app/package.json": '{ "scripts": { "dev": "vite" } }',
    Makefile: ".PHONY: all\nall: build\nbuild clean:\n\techo\n%.o: %.c\n",
    justfile: "deploy target:\n  echo\n",
    "pyproject.toml": '[project.scripts]\nserve = "app:main"\n[tool.poe.tasks]\nfmt = "ruff"\n',
    "Cargo.toml": '[package]\nname = "tool"\n[[bin]]\nname = "probe"\n',
  })
  commit("2026-01-01")
  write({
    "package.json": '{ "scripts": { "test": "vitest" } }',
    Makefile: "all:\n\techo\n",
    justfile: "ship:\n  echo\n",
  })
  commit("2026-02-01")
  const text = `Run \`npm run lint && npm test\`, \`pnpm dev\`, \`pnpm install\`, \`make clean\`, \`make all\`, \`just deploy\`, \`uv run serve\`, \`poe fmt\`, \`cargo run --bin probe\`, \`npm run publish-all\`, and make sure of it.
\`\`\`sh
$ CI=1 yarn lint
\`\`\``
  const found = await verdicts(root, text)
  expect(Object.fromEntries(Object.entries(found).map(([name, { state }]) => [name, state]))).toEqual({
    "npm run lint": "gone",
    "npm test": "valid",
    "pnpm dev": "valid",
    "make clean": "gone",
    "make all": "valid",
    "just deploy": "gone",
    "uv run serve": "valid",
    "poe fmt": "valid",
    "cargo run --bin probe": "valid",
    "npm run publish-all": "unverifiable",
  })
})

test("an unreadable manifest proves no command gone", async () => {
  const { root, write, commit } = makeRepository()
  write({ "package.json": '{ "scripts": { "lint": "biome" } }' })
  commit("2026-01-01")
  write({ "package.json": '{ "scripts": { "li' })
  expect(await verdicts(root, "`npm run lint`")).toMatchObject({ "npm run lint": { state: "unverifiable" } })
})

test("a file with few of its lines left is a hint, with the numbers", async () => {
  const { root, write, commit } = makeRepository()
  write({ "src/a.ts": source("a", 20), "src/b.ts": source("b", 20) })
  commit("2026-01-01")
  write({ "src/a.ts": source("z", 30) + source("a", 3), "src/b.ts": source("b", 18) })
  commit("2026-02-01")
  expect(await verdicts(root, "`src/a.ts` and `src/b.ts`")).toEqual({
    "src/a.ts": { state: "changed", kept: 3, lines: 20, day: "2026-01-01" },
    "src/b.ts": { state: "valid" },
  })
})

test("a shallow clone does not know earlier history, and says so", async () => {
  const { root, write, commit } = makeRepository()
  write({ "src/a.ts": "loadAll()\n", "src/b.ts": source("b") })
  commit("2026-01-01")
  rmSync(join(root, "src/a.ts"))
  commit("2026-02-01")
  rmSync(join(root, "src/b.ts"))
  commit("2026-03-01")
  const clone = join(makeFolder(), "clone")
  gitIn(root)("clone", "-q", "--depth", "2", `file://${root}`, clone)
  expect(await verdicts(clone, "`src/a.ts`, `src/b.ts`, `loadAll`")).toEqual({
    "src/a.ts": { state: "unverifiable", reason: "this clone has only part of the history" },
    "src/b.ts": { state: "gone", day: "2026-03-01" },
    loadAll: { state: "unverifiable", reason: "no file has it, and no earlier file is known to have had it" },
  })
})

test("without git, existing names are valid and everything else is unverifiable", async () => {
  const root = makeFolder()
  writeFiles(root, {
    "src/a.ts": "openStore()",
    "node_modules/x/index.js": "hiddenName()",
    "package.json": '{"scripts":{"a":"b"}}',
  })
  expect(await verdicts(root, "`src/a.ts` `src/b.ts` `openStore` `hiddenName` `npm run a` `npm run b`")).toMatchObject({
    "src/a.ts": { state: "valid" },
    "src/b.ts": { state: "unverifiable", reason: "there is no git history" },
    openStore: { state: "valid" },
    hiddenName: { state: "unverifiable" },
    "npm run a": { state: "valid" },
    "npm run b": { state: "unverifiable" },
  })
})

test("a repository without a commit is judged by its files alone", async () => {
  const { root, write } = makeRepository()
  write({ "src/a.ts": "openStore()" })
  expect(await verdicts(root, "`src/a.ts` `src/b.ts` `openStore`")).toMatchObject({
    "src/a.ts": { state: "valid" },
    "src/b.ts": { state: "unverifiable" },
    openStore: { state: "valid" },
  })
})

test("paths in a submodule that is not checked out are unverifiable", async () => {
  const inner = makeRepository()
  inner.write({ "lib.c": "int a;" })
  inner.commit("2026-01-01")
  const { root, git, commit } = makeRepository()
  git("submodule", "add", "-q", inner.root, "vendor/inner")
  commit("2026-01-01")
  git("submodule", "deinit", "-q", "-f", "vendor/inner")
  expect(await verdicts(root, "`vendor/inner/lib.c`")).toEqual({
    "vendor/inner/lib.c": { state: "unverifiable", reason: "it is in the submodule vendor/inner" },
  })
  git("submodule", "update", "-q", "--init")
  expect(await verdicts(root, "`vendor/inner/lib.c`")).toEqual({ "vendor/inner/lib.c": { state: "valid" } })
})

test("the team folder may be in a subfolder of the repository, and paths are tried from both", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "packages/app/src/a.ts": source("a"), "packages/app/src/b.ts": source("b"), "tools/x.mjs": source("x") })
  commit("2026-01-01")
  git("mv", "packages/app/src/b.ts", "packages/app/src/c.ts")
  rmSync(join(root, "tools/x.mjs"))
  commit("2026-02-01")
  expect(
    await verdicts(join(root, "packages/app"), "`src/a.ts` `src/b.ts` `packages/app/src/a.ts` `tools/x.mjs`"),
  ).toEqual({
    "src/a.ts": { state: "valid" },
    "src/b.ts": { state: "moved", to: "packages/app/src/c.ts", day: "2026-02-01" },
    "packages/app/src/a.ts": { state: "valid" },
    "tools/x.mjs": { state: "gone", day: "2026-02-01" },
  })
})

test("names with other encodings, separators and surrounding spaces are the same names", async () => {
  const { root, write, commit, git } = makeRepository()
  write({ "src/größe.ts": source("a"), "src/données/été.ts": source("b"), "src/日本.ts": source("c") })
  commit("2026-01-01")
  git("mv", "src/données/été.ts", "src/données/hiver.ts")
  rmSync(join(root, "src/日本.ts"))
  commit("2026-02-01")
  const text = "` src\\größe.ts `, src/données/e\u0301te\u0301.ts and `.\\src\\日本.ts`"
  expect(await verdicts(root, text)).toEqual({
    "src\\größe.ts": { state: "valid" },
    "src/données/e\u0301te\u0301.ts": { state: "moved", to: "src/données/hiver.ts", day: "2026-02-01" },
    ".\\src\\日本.ts": { state: "gone", day: "2026-02-01" },
  })
})

test("binary and huge files are skipped", async () => {
  const { root, write, commit } = makeRepository()
  write({
    "a.bin": Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(" hiddenWord ")]),
    "dump.sql": `${"-- filler\n".repeat(1_000_000)}dumpedWord\n`,
    "a.ts": "plainWord\n",
  })
  commit("2026-01-01")
  expect(await verdicts(root, "`hiddenWord` `dumpedWord` `plainWord`")).toMatchObject({
    hiddenWord: { state: "unverifiable" },
    dumpedWord: { state: "unverifiable" },
    plainWord: { state: "valid" },
  })
})

/** Of an item that was written in the middle of January 2026. */
async function verdicts(root: string, text: string) {
  const [item] = await judgeItems(root, [{ id: "one", text, at: Date.parse("2026-01-15T00:00:00Z") }])
  return Object.fromEntries((item?.names ?? []).map(({ text, verdict }) => [text, verdict]))
}
