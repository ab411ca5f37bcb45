import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { saveMemory } from "../src/drey/squad.ts"
import { openDrey } from "../src/drey.ts"
import { makeRepository, readTree, runCli } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

/** Put together at run time: no file of ours looks like it holds a secret. */
const token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("")
const team = { ".squad/team.md": "# Team\n" }

/** The project's own files, without what a clone keeps for itself. */
function treeOf(root: string): string {
  const shared = Object.entries(readTree(root)).filter(([path]) => !path.includes(".drey") && !path.includes("/."))
  return JSON.stringify(shared.map(([path, bytes]) => [path, bytes])).toLowerCase()
}

test("a secret as an agent's name is refused on every write path, and is nowhere", async () => {
  const cwd = makeRepository(team)
  expect(await saveMemory(token, "Queues block", { root: cwd })).toMatchObject({ kind: "refused", class: "FORBIDDEN" })
  const memory = openDrey({ root: cwd }).governed
  expect(await memory.writeForAgent(token, { content: "Queues block" })).toMatchObject({ stored: false })
  const { code, stdout, stderr } = await runWarm(["memory", "write", "x", "--scope", `agent:${token}`], { cwd })
  expect(code).toBe(1)
  for (const told of [stdout, stderr, treeOf(cwd), JSON.stringify(await memory.audit())])
    expect(told.toLowerCase()).not.toContain(token.toLowerCase())
  expect(existsSync(join(cwd, ".squad/agents"))).toBe(false)
})

test("an agent's name is plain and short; letters of any script are plain", async () => {
  const root = makeRepository(team)
  await expect(saveMemory("k".repeat(81), "Queues block", { root })).rejects.toThrow("is not an agent's name")
  await expect(saveMemory(`${token}/x`, "Queues block", { root })).rejects.toThrow(
    '"[withheld]" is not an agent\'s name',
  )
  expect(await saveMemory("Zoë Łukasz", "Queues block", { root })).toMatchObject({
    kind: "stored",
    path: ".squad/agents/zoë-łukasz/history.md",
  })
})

test("an inbox file with a secret in its name is set aside under a safe one, whatever its text", async () => {
  const cwd = makeRepository({
    ".squad/decisions.md": "# Decisions\n",
    [`.squad/decisions/inbox/${token}.md`]: "We use tabs everywhere.\n",
    [`.squad/memory/policy-inbox/${token}.md`]: "Always use tabs.\n",
  })
  const { code, stdout, stderr } = await runWarm(["merge"], { cwd })
  expect([0, 1]).toContain(code)
  for (const told of [stdout, stderr, treeOf(cwd)]) expect(told.toLowerCase()).not.toContain(token.toLowerCase())
  expect(readFileSync(join(cwd, ".squad/decisions.md"), "utf8")).toBe("# Decisions\n")
  const set = Object.entries(readTree(cwd)).filter(([path]) => /\.quarantine\/[^.].*\.md$/.test(path))
  expect(set.map(([path]) => path)).not.toContainEqual(expect.stringContaining(token))
  expect(set).toHaveLength(2)
})

test("a person's address in an inbox file's name does not become a title", async () => {
  const cwd = makeRepository({
    ".squad/decisions.md": "# Decisions\n",
    ".squad/decisions/inbox/kim@corp.io.md": "We use tabs everywhere.\n",
  })
  expect(await runWarm(["merge"], { cwd })).toMatchObject({ code: 0 })
  expect(readFileSync(join(cwd, ".squad/decisions.md"), "utf8")).not.toContain("kim@corp.io")
})

test("doctor and scrub check the names of files and folders too, and never print them", async () => {
  const cwd = makeRepository({ ...team, [`.squad/agents/${token}/charter.md`]: "Fine.\n" })
  const doctor = await runWarm(["doctor"], { cwd })
  const scrub = await runWarm(["scrub", "--dry-run", "--json"], { cwd })
  for (const { stdout, stderr } of [doctor, scrub]) expect(stdout + stderr).not.toContain(token)
  expect(doctor.code).toBe(1)
  expect(doctor.stdout).toContain(".squad/agents/[secret: access token]/charter.md")
  expect(JSON.parse(scrub.stdout).findings).toMatchObject([
    {
      path: ".squad/agents/[secret: access token]/charter.md",
      rule: "github-token",
      reason: "access token in the name",
      outcome: "left",
    },
  ])
})

test("a refused write has a placeholder as its title, whatever the caller named it", async () => {
  const root = makeRepository(team)
  const memory = openDrey({ root }).governed
  await memory.write({ content: `Remember ${token}`, title: "Harmless zebra" })
  await memory.writeForAgent("kane", { content: `Remember ${token}`, title: "Harmless zebra" })
  await memory.write({ content: "CI failed on main", title: "Harmless zebra" })
  await memory.write({ content: "Fine", class: "COPILOT_MEMORY", title: "Harmless zebra" })
  await memory.classify({ content: `Remember ${token}`, title: "Harmless zebra" })
  expect((await memory.audit()).map(({ action, title }) => [action, title])).toEqual([
    ["reject", "Rejected governed memory"],
    ["reject", "Rejected governed memory"],
    ["reject", "Rejected governed memory"],
    ["reject", "Rejected governed memory"],
    ["classify", "Classified governed memory"],
  ])
})

test("the audit contains no title or summary derived from the content", async () => {
  const root = makeRepository(team)
  const drey = openDrey({ root })
  const memory = drey.governed
  const long = `Zebras ${"graze ".repeat(40)}`
  await drey.governed.saveForAgent("kane", "Zebras graze quietly\n\nand sleep standing")
  await drey.governed.saveForAgent("kane", { summary: "Zebras graze quietly", details: "They sleep standing" })
  await drey.governed.saveForAgent("kane", { summary: long })
  await memory.writeForAgent("kane", { content: long })
  const written = await memory.write({ content: long })
  if (!written.stored) throw new Error("not stored")
  await memory.promote(written.id, "POLICY")
  await memory.delete(written.id)
  expect(readFileSync(join(root, ".squad/memory/audit.jsonl"), "utf8")).not.toMatch(/zebra/i)
})

test("a title that the caller gave is in the audit, of promotions and deletions too, even when the text begins with it", async () => {
  const root = makeRepository(team)
  const drey = openDrey({ root })
  const memory = drey.governed
  const written = await memory.write({ content: "Animals", title: "Animals" })
  if (!written.stored) throw new Error("not stored")
  await drey.governed.saveForAgent("kane", { title: "Own animals", summary: "Zebras graze" })
  const promoted = await memory.promote(written.id, "POLICY")
  if (!promoted.stored) throw new Error("not stored")
  await memory.delete(promoted.id)
  expect((await memory.audit()).map(({ action, title }) => [action, title])).toEqual([
    ["write", "Animals"],
    ["write", "Own animals"],
    ["write", "Animals"],
    ["promote", "Animals"],
    ["delete", "Animals"],
  ])
})

test("an index with bad elements is set aside and rebuilt; good elements keep the keys that Drey does not know", async () => {
  const root = makeRepository(team)
  const warnings: string[] = []
  const drey = openDrey({ root })
  const memory = drey.governed.as({ warn: (message) => warnings.push(message) })
  const one = await memory.write({ content: "One about moss", title: "One" })
  const two = await memory.write({ content: "Two about moss", title: "Two" })
  if (!one.stored || !two.stored) throw new Error("not stored")
  const path = join(root, ".squad/memory/index.json")
  const [first] = JSON.parse(readFileSync(path, "utf8"))
  const damaged = JSON.stringify([null, 5, { id: 7 }, { ...first, mine: [1] }, { id: two.id, path: 3 }])
  writeFileSync(path, damaged)
  const doctor = await runWarm(["doctor"], { cwd: root })
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/❌ memory index/) })
  expect((await memory.list()).map(({ id }) => id)).toEqual([one.id, two.id])
  expect(await memory.search("moss")).toHaveLength(2)
  expect(readFileSync(path, "utf8")).toBe(damaged) // reading changes no file
  await memory.reindex()
  expect(warnings).toEqual([expect.stringContaining("index.json was corrupt")])
  expect(readFileSync(`${path}.corrupt`, "utf8")).toBe(damaged)
  const rebuilt = JSON.parse(readFileSync(path, "utf8"))
  expect(rebuilt).toMatchObject([
    { id: one.id, mine: [1] },
    { id: two.id, title: "Two", path: two.path },
  ])
  expect(rebuilt).toHaveLength(2)
})

test.each(["../../evil", "a/b c", "..", "x".repeat(81)])("the id %j of a file is not taken", async (bad) => {
  const file = (id: string) =>
    `---\nid: ${id}\nclass: LOCAL\ntitle: "Moss"\ncreatedAt: 2026-02-01T00:00:00.000Z\n---\n\nMoss grows\n`
  const root = makeRepository({
    ...team,
    ".squad/decisions.md": "# Decisions\n",
    ".squad/memory/local/moss.md": file(bad),
    ".squad/decisions/inbox/moss.md": file(bad).replace("LOCAL", "DECISION").replace("Moss", "Lichen"),
  })
  const memory = openDrey({ root }).governed
  const found = await memory.search("moss")
  expect(found.map(({ id }) => id)).toEqual([
    expect.stringMatching(/^sem-[0-9a-f]{12}$/),
    expect.stringMatching(/^sem-/),
  ])
  for (const { id } of found) expect((await memory.read(id)).content).toBe("Moss grows")
  expect(await runWarm(["merge"], { cwd: root })).toMatchObject({ code: 0 })
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).not.toContain(bad === ".." ? "**id:** .." : bad)
  for (const { id } of found) {
    expect((await memory.read(id)).content).toContain("Moss grows")
    expect(await memory.delete(id)).toBe(true)
  }
})

test.each<[string, string[]]>([
  ["class", ["write", "x", "--class", token, "--log-level", "debug"]],
  ["load guidance", ["write", "x", "--load-guidance", token]],
  ["log level", ["list", "--log-level", token]],
  ["id", ["read", token]],
  ["promoted id", ["promote", token, "--class", "LOCAL"]],
])("a secret in the place of a %s is not repeated", async (_, args) => {
  const { stdout, stderr } = await runWarm(["memory", ...args], { cwd: makeRepository(team) })
  expect(stdout + stderr).not.toContain(token)
  expect(stderr).toContain("[withheld]")
})

test("a file that is not JSON is reported by its path, not by its content", async () => {
  const broken = `{\n  "key": ${token}\n}\n`
  const cwd = makeRepository({ ...team, ".squad/config.json": broken, "bundle.json": broken, "review.json": broken })
  for (const args of [
    ["validate"],
    ["import", "bundle.json"],
    ["convert-memory", "--review-in", "review.json"],
    ["validate", "bundle.json"],
  ]) {
    const { stdout, stderr } = await runWarm(args, { cwd })
    expect(stdout + stderr).not.toContain(token.slice(0, 10))
  }
})

test("a read-only checkout can be searched, listed and read, and nothing in it changes", async () => {
  const cwd = makeRepository({
    ...team,
    ".squad/decisions.md": "# Decisions\n\n### 2026-02-15: Moss everywhere\n**By:** Kane\n**What:** Moss.\n",
  })
  const { stdout: written } = await runWarm(["memory", "write", "Moss grows slowly", "--class", "LOCAL"], { cwd })
  const { id } = JSON.parse(written)
  const user = lock(cwd)
  const before = readTree(cwd)
  const search = await runCli(["memory", "search", "moss"], { cwd, ...user })
  expect(search).toMatchObject({ code: 0 })
  expect(JSON.parse(search.stdout)).toHaveLength(2)
  const secret = await runCli(["memory", "search", token], { cwd, ...user })
  expect(secret).toMatchObject({ code: 0, stdout: "[]\n" })
  expect(await runCli(["memory", "list"], { cwd, ...user })).toMatchObject({ code: 0 })
  const read = await runCli(["memory", "read", id], { cwd, ...user })
  expect(JSON.parse(read.stdout)).toMatchObject({ content: "Moss grows slowly" })
  expect(readTree(cwd)).toEqual(before)
  unlock(cwd)
})

/** Takes the right to write from the user the command runs as. Permissions do not apply to root: then it runs as another user. */
function lock(cwd: string): { uid?: number } {
  setModes(cwd, 0o555, 0o444)
  if (process.getuid?.() !== 0) return {}
  chownSync(join(cwd, ".squad"), 65534, 65534) // the team folder of another user is refused
  return { uid: 65534 }
}

function unlock(cwd: string): void {
  if (process.getuid?.() !== 0) setModes(cwd, 0o755, 0o644)
}

function setModes(cwd: string, folder: number, file: number): void {
  const below = Object.entries(readTree(cwd)).map(([path, bytes]) => ({
    path: join(cwd, path),
    isFolder: bytes === "a folder",
  }))
  for (const { path, isFolder } of below) chmodSync(path, isFolder ? folder : file)
  chmodSync(cwd, folder)
}
