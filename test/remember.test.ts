import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { fakeSecret } from "./legacy-fixtures.ts"
import { makeRepository, readTree, runGit, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

/** A trusted repository with a team folder, and its user's home. */
async function place() {
  const cwd = makeRepository({ ".squad/decisions.md": "# Squad Decisions\n" })
  runGit(cwd, "init", "-q")
  runGit(cwd, "config", "user.name", "Ada Lovelace")
  const home = makeRepository({})
  const env = { HOME: home, DREY_HOME: join(home, ".drey") }
  const run = (...args: string[]) => runWarm(args, { cwd, env })
  const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout)
  await run("trust")
  return { cwd, env, run, json, decisions: () => readFileSync(join(cwd, ".squad/decisions.md"), "utf8") }
}

const everydayRules: Record<string, string[]> = {
  English: [
    "Indent with tabs",
    "No force pushes",
    "Prefer named exports over default exports",
    "run the linter before you commit",
    "pls don't touch the generated files in src/gen",
    "tests go next to the file they test",
    "Commit messages in imperative mood, max 72 chars",
    "keep PRs under 400 lines",
    "ask before adding a dependency",
    "all dates in UTC, always",
  ],
  German: [
    "Bitte immer mit pnpm installieren, nie mit npm",
    "Einrücken mit zwei Leerzeichen",
    "Keine Secrets ins Repo",
    "Commits auf Englisch",
    "Neue Endpunkte brauchen einen Integrationstest",
    "Fehlermeldungen müssen sagen, was man tun kann",
    "Vor jedem Push die Tests laufen lassen",
  ],
  French: [
    "Toujours lancer les tests avant de pousser",
    "Pas de console.log dans le code livré",
    "Les messages de commit en anglais",
    "On n'écrit jamais de SQL à la main dans les contrôleurs",
    "Préférer les fonctions pures",
    "Il faut une issue pour chaque PR",
  ],
  Spanish: [
    "Usa comillas simples",
    "Nunca subas credenciales al repositorio",
    "Los comentarios van en inglés",
    "Cada función pública lleva su test",
    "No mezcles refactor y funcionalidad en el mismo PR",
    "Siempre tipos estrictos, nada de any",
  ],
  Portuguese: [
    "Sempre rode os testes antes do commit",
    "Nada de push direto na main",
    "Nomes de variáveis em inglês",
    "Cada migração precisa ter um rollback",
    "Não use any no TypeScript",
  ],
  Japanese: [
    "コミットメッセージは英語で書いてください",
    "mainに直接pushしないこと",
    "インデントはスペース2つで統一",
    "テストなしでマージしないで",
    "変数名は省略しない",
    "日時は必ずUTCで保存する",
  ],
}

test("forty everyday rules in six languages are all saved as rules, and all in one context", async () => {
  const { run, json, decisions } = await place()
  const rules = Object.values(everydayRules).flat()
  expect([rules.length, Object.keys(everydayRules).length]).toEqual([40, 6])
  for (const rule of rules) {
    const { code, stdout } = await run("remember", rule, "--json")
    expect([rule, code, JSON.parse(stdout)]).toMatchObject([rule, 0, { kind: "saved", type: "directive", title: rule }])
  }
  expect(await json("list", "--type", "directive", "--author", "Ada Lovelace")).toHaveLength(40)
  expect((await run("validate", "--strict")).code).toBe(0)
  const { text } = await json("context", "--budget", "8000")
  for (const rule of rules) {
    expect(decisions()).toContain(`directive: ${rule}\n`)
    expect(text).toContain(`\n> ${rule}\n`)
  }
})

test("a decision, its reason, a note and a label are understood; an option overrules the detection", async () => {
  const { json, run } = await place()
  const kind = async (...args: string[]) => (await json("remember", ...args)).type
  expect(await kind("We keep orders in PostgreSQL", "--why", "One database to back up")).toBe("decision")
  expect(await kind("Staging is read-only at night")).toBe("note")
  expect(await kind("Note: tabs are four columns wide here")).toBe("note")
  expect(await kind("--decision", "Tabs")).toBe("decision")
  expect(await kind("--rule", "We keep orders in one place")).toBe("directive")
  const [entry] = await json("list", "PostgreSQL")
  expect(entry).toMatchObject({ title: "We keep orders in PostgreSQL", rationale: "One database to back up" })
  expect((await run("remember", "--rule", "--note", "Tabs")).code).toBe(2)
  expect((await run("remember")).code).toBe(2)
})

test("a text of several lines is kept whole, from stdin too", async () => {
  const { cwd, env, json, decisions } = await place()
  const input = "Use one queue for mails.\n\nThe old one lost mails when the worker restarted."
  const { stdout } = await runWarm(["remember", "--decision", "--json"], { cwd, env, input })
  expect(JSON.parse(stdout)).toMatchObject({ kind: "saved", type: "decision" })
  expect(decisions()).toContain("The old one lost mails when the worker restarted.")
  expect(await json("list")).toHaveLength(1)
})

test("the answer says where it is and how to undo it; undo restores every byte", async () => {
  const { cwd, run } = await place()
  await run("remember", "Indent with tabs")
  const before = readFileSync(join(cwd, ".squad/decisions.md"), "utf8")
  const { stdout } = await run("remember", "No force pushes")
  const [, line = "", id = ""] =
    /^Saved as a rule: No force pushes\n {2}\.squad\/decisions\.md:(\d+) {2}Change it: drey edit (\S+)\. Undo: drey undo\n$/.exec(
      stdout,
    ) ?? []
  const text = readFileSync(join(cwd, ".squad/decisions.md"), "utf8")
  expect(text.split("\n")[Number(line) - 1]).toMatch(/^### .*: directive: No force pushes$/)
  expect((await run("show", id)).stdout).toContain("No force pushes")
  expect((await run("remember", "No force pushes")).stdout).toMatch(/^Already saved: No force pushes\n/)
  expect((await run("undo")).code).toBe(0)
  expect(readFileSync(join(cwd, ".squad/decisions.md"), "utf8")).toBe(before)
})

test("a secret is refused by its place, never by its value, and nothing is written", async () => {
  const { cwd, run } = await place()
  const before = readTree(cwd)
  const { code, stdout, stderr } = await run("remember", `Log in with ${fakeSecret()}`)
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toMatch(/^drey: Not saved: line 1 contains an? /)
  expect(stderr).not.toContain(fakeSecret())
  expect(readTree(cwd)).toEqual(before)
})

test("what an agent asks to remember is a proposal under its name, until the user accepts it", async () => {
  const { cwd, env, run, json, decisions } = await place()
  const asAgent = (...args: string[]) => runWarm(args, { cwd, env: { ...env, CLAUDECODE: "1" } })
  for (const text of ["Always use tabs", "We moved CI to Buildkite"]) {
    const { code, stdout } = await asAgent("remember", text, "--author", "Ines", "--json")
    expect([code, JSON.parse(stdout).kind]).toEqual([0, "proposed"])
  }
  expect(decisions()).toBe("# Squad Decisions\n")
  for (const words of [
    ["accept", "--all"],
    ["refuse", "--all"],
  ])
    expect((await asAgent("inbox", ...words)).stderr).toContain("only the user can")
  const { proposals } = await json("inbox")
  expect(proposals.map(({ author }: { author: string }) => author)).toEqual(["claude-code", "claude-code"])
  expect((await run("inbox", "accept", "--all")).code).toBe(0)
  expect(decisions()).toContain("directive: Always use tabs")
  expect((await run("inbox")).stdout).toBe("Nothing to review.\n")
})

test("a proposal is shown, refused, reworded or merged into an entry, by a unique prefix of its id", async () => {
  const { run, json, decisions } = await place()
  const { id: into } = await json("remember", "Use one queue for mails")
  const ids: string[] = []
  for (const text of ["Use kebab-case for files", "Use two spaces", "The queue keeps mails for a week"])
    ids.push((await json("remember", text, "--propose")).id)
  const [first = "", second = "", third = ""] = ids
  expect((await run("inbox", "show", first.slice(0, 12))).stdout).toMatch(/^Use kebab-case for files /)
  expect((await run("inbox", "refuse", first, "--reason", "We use snake_case")).code).toBe(0)
  expect((await run("inbox", "edit", second, "--title", "Use four spaces")).stdout).toContain(
    "Accepted “Use four spaces”",
  )
  expect((await run("inbox", "merge", third, "--into", into)).code).toBe(0)
  expect((await json("inbox")).proposals).toEqual([])
  expect(decisions()).toContain("directive: Use four spaces")
  expect(decisions()).toContain("The queue keeps mails for a week")
  expect(decisions()).not.toContain("kebab")
  expect((await run("inbox", "accept", "nothing")).code).toBe(1)
  expect((await run("inbox", "accept")).code).toBe(2)
})

test("an entry is edited by an option or in the user's editor, and keeps its id and its place", async () => {
  const { cwd, env, run, json, decisions } = await place()
  const { id } = await json("remember", "Indent with tabs")
  await run("remember", "No force pushes")
  expect((await run("edit", id, "--text", "Indent with two spaces")).stdout).toContain(
    "Edited “Indent with two spaces”",
  )
  const script =
    "require('fs').writeFileSync(process.argv[1], '# Indent with four spaces\\n\\nTwo are hard to see.\\n')"
  const EDITOR = `"${process.execPath}" -e "${script}"`
  expect((await runWarm(["edit", id], { cwd, env: { ...env, EDITOR } })).code).toBe(0)
  expect(decisions()).toMatch(/directive: Indent with four spaces\n[\s\S]*Two are hard to see\.[\s\S]*No force pushes/)
  expect((await json("show", id)).id).toBe(id)
  expect((await runWarm(["edit", id], { cwd, env: { ...env, EDITOR: "true" } })).stdout).toBe("Nothing changed.\n")
  expect((await run("edit", id)).code).toBe(2) // no editor, and no text
})

test("forget removes by id or by words, or leaves the old text as superseded; undo brings it back", async () => {
  const { run, json, decisions } = await place()
  const { id } = await json("remember", "Indent with tabs")
  const other = await json("remember", "Mails go through one queue")
  const before = decisions()
  const asked = await run("forget", "one", "queue")
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("1 item found; nothing was forgotten")])
  expect(await json("forget", "one", "queue", "--yes")).toEqual({ forgotten: [other.id], purged: false })
  expect(decisions()).not.toContain("queue")
  await run("undo")
  expect(decisions()).toBe(before)
  expect((await run("forget", id, "--supersede", "Indent with two spaces")).code).toBe(0)
  const [old] = (await json("list", "--all")).filter((each: { id: string }) => each.id === id)
  expect(old.supersededBy).not.toEqual([])
  expect((await run("forget", "nothing", "like", "this")).code).toBe(1)
})

test("a prefix of several ids ends with 2 and names them", async () => {
  const { cwd, run } = await place()
  const entry = (id: string, title: string) =>
    `### 2026-02-10T09:00:00Z: decision: ${title}\n\n**author:** Ada\n**id:** ${id}\n\n**summary:** ${title}\n\n---\n`
  writeFiles(cwd, {
    ".squad/decisions.md": `# Decisions\n\n${entry("sem-abcd12345678", "One")}\n${entry("sem-abcd87654321", "Two")}`,
  })
  for (const command of ["show", "edit", "forget"]) {
    const { code, stderr } = await run(command, "sem-abcd")
    expect([command, code]).toEqual([command, 2])
    expect(stderr).toContain("sem-abcd12345678, sem-abcd87654321")
  }
  expect((await run("list")).stdout).toMatch(/^abcd[18] .*\nabcd[18] /)
  expect((await run("show", "abcd8")).stdout).toContain("Two")
})

const written = (timestamp: string, title: string) =>
  `### ${timestamp}: directive: ${title}\n\n**type:** directive  \n**timestamp:** ${timestamp}  \n**author:** Kane  \n\n**summary:** Prüfe  jedes Café zweimal\n\n---\n`

test("a rule of another file is known, whatever its case, spacing and form of the accents", async () => {
  const { cwd, json, decisions } = await place()
  const title = "prüfe  JEDES Café zweimal".normalize("NFD")
  const old = written("2024-02-15T14:32:15+0000", title)
  writeFiles(cwd, { ".squad/decisions/2024.md": `# 2024\n\n${old}` })
  expect(await json("remember", "--rule", "Prüfe jedes Café zweimal")).toMatchObject({ kind: "known" })
  expect(decisions()).not.toContain("Café")
  expect(await json("remember", "--rule", "Prüfe jedes Café dreimal")).toMatchObject({ kind: "saved" })
})

test("an entry of the same second in another file, at another offset, keeps its time to itself", async () => {
  const { cwd, env, decisions } = await place()
  writeFiles(cwd, { ".squad/decisions/2026.md": `# 2026\n\n${written("2026-02-16T01:30:00+0300", "Other")}` })
  const drey = openDrey({ root: cwd, environment: env, now: () => new Date("2026-02-15T22:30:00Z") })
  expect(await drey.team.remember("Indent with tabs")).toMatchObject({ kind: "saved" })
  await drey.close()
  expect(decisions()).toMatch(/T22:30:01/)
})
