import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fakeSecret, legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree, runGit, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const decisions = ".squad/decisions.md"
const sound = semEntry("2026-02-03T09:00:00+0000", "decision", "Use one index", { fields: ["**scope:** team"] })
const broken = semEntry("2026-02-04T09:00:00+0000", "decision", "Use two queues", { fields: ["**scope:** everyone"] })
const doubtful = semEntry("2026-02-05T09:00:00+0000", "decision", "Use tabs", {
  fields: ["**supersedes:** sem-000000000000"],
})

test("a valid store is reported in one line", async () => {
  const cwd = makeRepository({ [decisions]: sound })
  expect(await runWarm(["validate"], { cwd })).toEqual({
    code: 0,
    stdout: "1 entry in 1 file: 0 errors, 0 warnings.\n",
    stderr: "",
  })
})

test("each finding is reported with its file, line and code", async () => {
  const cwd = makeRepository({ [decisions]: `${sound}\n${broken}`, ".squad/decisions/inbox/tabs.md": doubtful })
  const before = readTree(cwd)
  const { code, stdout } = await runWarm(["validate"], { cwd })
  expect(stdout).toMatch(/^\.squad\/decisions\.md:23 {2}error {2}.*everyone.* \(invalid-field\)$/m)
  expect(stdout).toMatch(/^\.squad\/decisions\/inbox\/tabs\.md:\d+ {2}warning {2}.* \(dangling-reference\)$/m)
  expect(stdout).toContain("3 entries in 2 files: 1 error, 1 warning.\n")
  expect(code).toBe(1)
  expect(readTree(cwd)).toEqual(before)
})

test("warnings are not a failure, unless --strict treats them as errors", async () => {
  const cwd = makeRepository({ [decisions]: doubtful })
  const lenient = await runWarm(["validate", "--json"], { cwd })
  const strict = await runWarm(["validate", "--json", "--strict"], { cwd })
  expect(JSON.parse(lenient.stdout).totals).toMatchObject({ errors: 0, warnings: 1 })
  expect(JSON.parse(strict.stdout).totals).toMatchObject({ errors: 1, warnings: 0 })
  expect([lenient.code, strict.code]).toEqual([0, 1])
})

test("a decision without its reason is a warning", async () => {
  const cwd = makeRepository({ [decisions]: sound.replace("**rationale:** It was measured.\n\n", "") })
  const { code, stdout } = await runWarm(["validate", "--format", "json"], { cwd })
  expect(JSON.parse(stdout).diagnostics).toMatchObject([{ code: "missing-rationale", severity: "warning" }])
  expect(code).toBe(0)
})

test("the JSON document holds the totals and every finding", async () => {
  const cwd = makeRepository({ [decisions]: broken })
  const { code, stdout, stderr } = await runWarm(["validate", "--format", "json"], { cwd })
  const document = JSON.parse(stdout)
  expect(document.totals).toMatchObject({ errors: 1, warnings: 0 })
  expect(document.diagnostics).toEqual([
    expect.objectContaining({
      path: decisions,
      line: 6,
      code: "invalid-field",
      severity: "error",
      message: expect.stringContaining("everyone"),
    }),
  ])
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
  expect((await runWarm(["validate", "--json"], { cwd })).stdout).toBe(stdout)
})

test("the github format annotates the line", async () => {
  const cwd = makeRepository({ [decisions]: `${broken}\n${doubtful}\n${legacyEntry("2026-01-03", "Use spaces")}` })
  const { code, stdout } = await runWarm(["validate", "--format", "github"], { cwd })
  const lines = stdout.trimEnd().split("\n")
  expect(lines[0]).toMatch(/^::error file=\.squad\/decisions\.md,line=6,title=invalid-field::.*everyone/)
  expect(lines[1]).toMatch(/^::warning file=\.squad\/decisions\.md,line=\d+,title=dangling-reference::/)
  expect(lines[2]).toMatch(/^::notice file=\.squad\/decisions\.md,line=\d+,title=legacy-entry::/)
  expect(lines).toHaveLength(3)
  expect(code).toBe(1)
})

test("the github format keeps a path with special characters in one property", async () => {
  const cwd = makeRepository({ ".squad/decisions/inbox/a,b: 100%.md": broken })
  const { stdout } = await runWarm(["validate", "--format", "github"], { cwd })
  expect(stdout).toContain("file=.squad/decisions/inbox/a%2Cb%3A 100%25.md,line=6")
})

test("the sarif format names rule, level and place of each finding", async () => {
  const cwd = makeRepository({ ".squad/decisions/inbox/a b.md": `${broken}\n${doubtful}` })
  const { code, stdout } = await runWarm(["validate", "--format", "sarif"], { cwd })
  const { version, runs } = JSON.parse(stdout)
  expect(version).toBe("2.1.0")
  expect(runs).toHaveLength(1)
  expect(runs[0].tool.driver.name).toBe("drey")
  expect(runs[0].tool.driver.rules).toEqual([{ id: "dangling-reference" }, { id: "invalid-field" }])
  expect(runs[0].results).toMatchObject([
    {
      ruleId: "invalid-field",
      level: "error",
      message: { text: expect.stringContaining("everyone") },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: ".squad/decisions/inbox/a%20b.md" },
            region: { startLine: 6 },
          },
        },
      ],
    },
    { ruleId: "dangling-reference", level: "warning" },
  ])
  expect(code).toBe(1)
})

test("--quiet leaves the warnings out", async () => {
  const cwd = makeRepository({ [decisions]: `${broken}\n${doubtful}` })
  const { stdout } = await runWarm(["validate", "--quiet"], { cwd })
  expect(stdout).toContain("invalid-field")
  expect(stdout).not.toContain("dangling-reference")
})

test("a file that is named is checked, wherever it is, with or without a store", async () => {
  const cwd = makeRepository({ "notes/one.md": sound, "notes/two.md": broken })
  expect((await runWarm(["validate", "notes/one.md"], { cwd })).code).toBe(0)
  const both = await runWarm(["validate", "one.md", "two.md"], { cwd: join(cwd, "notes") })
  expect(both.stdout).toMatch(/^two\.md:6 {2}error/m)
  expect(both.code).toBe(1)
})

test("a named file is checked against the entries of its store", async () => {
  const inbox = ".squad/decisions/inbox/queues.md"
  const successor = semEntry("2026-02-09T09:00:00+0000", "decision", "Use two indexes", {
    fields: ["**supersedes:** 2026-02-03T09:00:00+0000"],
  })
  const cwd = makeRepository({ [decisions]: sound, [inbox]: successor })
  const { code, stdout } = await runWarm(["validate", inbox, "--strict"], { cwd })
  expect(stdout).toBe("1 entry in 1 file: 0 errors, 0 warnings.\n")
  expect(code).toBe(0)
})

test("entries in their JSON form are checked by the same rules", async () => {
  const entry = {
    type: "decision",
    timestamp: "2026-02-03T09:00:00+00:00",
    author: "Wren",
    summary: "One index.",
    rationale: "Less.",
  }
  const cwd = makeRepository({
    "sound.json": JSON.stringify([entry, entry]),
    "broken.json": JSON.stringify([entry, { ...entry, type: "verdict", scope: "everyone" }]),
    "text.json": "### not JSON",
  })
  expect((await runWarm(["validate", "sound.json"], { cwd })).code).toBe(0)
  const { code, stdout } = await runWarm(["validate", "broken.json", "--json"], { cwd })
  expect(code).toBe(1)
  expect(JSON.parse(stdout).diagnostics.map(({ message }: { message: string }) => message)).toEqual([
    expect.stringMatching(/Entry 2: type/),
    expect.stringMatching(/Entry 2: scope/),
  ])
  const text = await runWarm(["validate", "text.json"], { cwd })
  expect(text.stdout).toMatch(/^text\.json:1 {2}error {2}Invalid JSON/m)
  expect(text.code).toBe(1)
})

test("--staged checks what is staged, not what is in the folder", async () => {
  const cwd = gitRepository({ [decisions]: sound })
  stage(cwd, { [decisions]: broken })
  writeFiles(cwd, { [decisions]: sound })
  const bad = await runWarm(["validate", "--staged"], { cwd })
  expect(bad.stdout).toMatch(/^\.squad\/decisions\.md:6 {2}error/m)
  expect(bad.code).toBe(1)
  stage(cwd, { [decisions]: `${sound}\n` })
  writeFiles(cwd, { [decisions]: broken })
  expect((await runWarm(["validate", "--staged"], { cwd })).code).toBe(0)
})

test("--staged looks at staged files of the store only, from any folder of the repository", async () => {
  const cwd = gitRepository({ [decisions]: broken, "src/readme.md": "# Source\n" })
  stage(cwd, { ".squad/decisions/inbox/index.md": sound, "src/broken.md": broken })
  const { code, stdout } = await runWarm(["validate", "--staged"], { cwd: join(cwd, "src") })
  expect(stdout).toBe("1 entry in 1 file: 0 errors, 0 warnings.\n")
  expect(code).toBe(0)
})

test("--staged checks a staged file that is no longer in the folder", async () => {
  const cwd = gitRepository({ [decisions]: sound })
  stage(cwd, { ".squad/decisions/inbox/queues.md": broken })
  rmSync(join(cwd, ".squad/decisions/inbox/queues.md"))
  expect((await runWarm(["validate", "--staged"], { cwd })).code).toBe(1)
})

test("--staged finds staged bytes that are not text", async () => {
  const cwd = gitRepository({ [decisions]: sound })
  stage(cwd, { [decisions]: Buffer.from(`${sound}\nCaf\xe9\n`, "latin1") })
  const { code, stdout, stderr } = await runWarm(["validate", "--staged"], { cwd })
  expect(stdout + stderr).toMatch(/decisions\.md:\d+.*UTF-8/)
  expect([1, 2]).toContain(code)
})

test("--staged knows the entries that a reference leads to in files that are not staged", async () => {
  const cwd = gitRepository({ [decisions]: sound })
  const successor = semEntry("2026-02-09T09:00:00+0000", "decision", "Use two indexes", {
    fields: ["**supersedes:** 2026-02-03T09:00:00+0000"],
  })
  stage(cwd, { ".squad/decisions/inbox/index.md": successor })
  const { stdout } = await runWarm(["validate", "--staged", "--strict"], { cwd })
  expect(stdout).not.toContain("dangling-reference")
})

test("--staged with nothing staged has nothing against it", async () => {
  const cwd = gitRepository({ [decisions]: broken })
  expect((await runWarm(["validate", "--staged"], { cwd })).code).toBe(0)
})

function gitRepository(files: Record<string, string>): string {
  const cwd = makeRepository(files)
  runGit(cwd, "init", "--quiet", "--initial-branch=main")
  runGit(cwd, "add", "--all")
  runGit(cwd, "commit", "--quiet", "--message", "Begin")
  return cwd
}

function stage(cwd: string, files: Record<string, string | Uint8Array>): void {
  writeFiles(cwd, files)
  runGit(cwd, "add", "--all")
}

test("a secret is an error, reported by its line and rule and never by its value", async () => {
  const secret = fakeSecret()
  const cwd = makeRepository({ [decisions]: `${sound}\nThe key is ${secret} and goes to lena@harbour.dev.\n` })
  const before = readTree(cwd)
  const { code, stdout } = await runWarm(["validate", "--json"], { cwd })
  expect(JSON.parse(stdout).diagnostics).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: decisions, line: 18, code: "forbidden-content", severity: "error" }),
      expect.objectContaining({ path: decisions, line: 18, code: "personal-data", severity: "warning" }),
    ]),
  )
  expect(stdout).not.toContain(secret)
  expect(stdout).not.toContain("lena@")
  expect(code).toBe(1)
  expect(readTree(cwd)).toEqual(before)
})

test("--staged lets no secret into a commit, in whatever file of the team folder it is", async () => {
  const secret = fakeSecret()
  for (const path of [decisions, ".squad/agents/kane/charter.md", ".squad/log/one.md", ".squad/memory/index.json"]) {
    const cwd = gitRepository({ [decisions]: sound })
    stage(cwd, { [path]: `${sound}\n${secret}\n` })
    writeFiles(cwd, { [path]: sound })
    const { code, stdout } = await runWarm(["validate", "--staged"], { cwd })
    expect(stdout).toMatch(new RegExp(`^${path.replaceAll(".", "\\.")}:18 {2}error .*\\(forbidden-content\\)$`, "m"))
    expect(stdout).not.toContain(secret)
    expect(code).toBe(1)
  }
})

test("--staged finds a secret in a file's name, in bytes that are not text, and nowhere outside the team folder", async () => {
  const secret = fakeSecret()
  const cwd = gitRepository({ [decisions]: sound })
  stage(cwd, { [`.squad/log/${secret}.md`]: "Nothing.\n", "src/key.md": secret })
  const named = await runWarm(["validate", "--staged"], { cwd })
  expect(named.stdout).toMatch(/^\.squad\/log\/\[secret.*\(forbidden-content\)$/m)
  expect(named.stdout).not.toContain(secret)
  expect(named.stdout).not.toContain("src/key.md")
  const other = gitRepository({ [decisions]: sound })
  stage(other, { ".squad/log/old.txt": Buffer.from(`\uFEFF${secret}\n`, "utf16le") })
  expect((await runWarm(["validate", "--staged"], { cwd: other })).code).toBe(1)
  stage(other, { ".squad/log/old.txt": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]) })
  expect((await runWarm(["validate", "--staged"], { cwd: other })).code).toBe(0)
})

test("one entry in two files with different texts is reported with both places", async () => {
  const edited = sound.replace("It was measured.", "It was measured twice.")
  const cwd = makeRepository({ [decisions]: edited, ".squad/decisions-archive.md": `# Archive\n\n${sound}` })
  const { code, stdout } = await runWarm(["validate"], { cwd })
  expect(stdout).toMatch(
    /^\.squad\/decisions-archive\.md:3 {2}warning {2}Entry sem-\w+ .*\.squad\/decisions\.md:1\b.*\(two-versions\)$/m,
  )
  expect(code).toBe(0)
  const one = await runWarm(["validate", decisions], { cwd })
  expect(one.stdout).toMatch(/^\.squad\/decisions\.md:1 {2}warning .*\.squad\/decisions-archive\.md:3\b/m)
  writeFiles(cwd, { [decisions]: sound })
  expect((await runWarm(["validate"], { cwd })).stdout).not.toContain("two-versions")
})
