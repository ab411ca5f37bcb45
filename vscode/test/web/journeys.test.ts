import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { findChromium } from "../../../scripts/chromium/find-chromium.ts"
import { writeSample } from "./sample.ts"
import { openWorkbench, type Workbench } from "./workbench.ts"

const chromium = findChromium()

describe.skipIf(chromium === undefined)("Drey in VS Code Web", () => {
  let folder = ""
  let workbench: Workbench
  const money = ".squad/decisions/money.md"
  const uri = (path: string) => `vscode.Uri.from({ scheme: "disk", path: "/${path}" })`
  const open = (path: string) =>
    `const uri = ${uri(path)}; const document = await vscode.workspace.openTextDocument(uri); await vscode.window.showTextDocument(document);`
  /** Waits in the extension host until a value is there, for at most ten seconds. */
  const until = (value: string) =>
    `const until = async (read) => { for (let turn = 0; turn < 200; turn++) { const found = await read(); if (found) return found; await new Promise((done) => setTimeout(done, 50)) } throw new Error("not in time") }; return until(async () => { ${value} })`

  beforeAll(async () => {
    if (chromium === undefined) return
    execFileSync(process.execPath, ["vscode/build.mjs"])
    folder = mkdtempSync(join(tmpdir(), "drey-vscode-"))
    writeSample(folder, Date.now())
    workbench = await openWorkbench({ chromium, folder })
    await workbench.run(
      `const drey = vscode.extensions.getExtension("drey.drey-vscode"); const api = await drey.activate(); await api.ready; await vscode.commands.executeCommand("workbench.view.extension.drey")`,
    )
  }, 120_000)
  afterAll(async () => {
    await workbench?.close()
    if (folder !== "") rmSync(folder, { recursive: true, force: true })
  })

  test("it is active within 100 ms, without the drey program", async () => {
    const [ms, backend] = await workbench.run<[number, string]>(
      `const { exports } = vscode.extensions.getExtension("drey.drey-vscode"); return [exports.activationMs, exports.backend()]`,
    )
    console.log(`activation in the browser host: ${ms.toFixed(1)} ms`)
    expect(ms).toBeLessThan(100)
    expect(backend).toBe("files")
  })

  test("the view shows what the team has decided, by what counts today", async () => {
    const { page } = workbench
    const decisions = page.getByRole("tree", { name: /Decisions/ })
    await decisions.getByRole("treeitem", { name: /^Active/ }).waitFor()
    await decisions.getByRole("treeitem", { name: /^Charges carry a key, decision, in force/ }).waitFor()
    await page
      .getByRole("tree", { name: /Inbox/ })
      .getByRole("treeitem", { name: /Seats are held for twelve minutes/ })
      .waitFor()
    await page
      .locator(".statusbar-item")
      .filter({ hasText: /Drey \d/ })
      .waitFor()
  })

  test("the tree is walked and an entry opened with the keyboard alone", async () => {
    const { page } = workbench
    await workbench.run(`await vscode.commands.executeCommand("drey.decisions.focus")`)
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    const line = await workbench.run<number>(until(`return vscode.window.activeTextEditor?.selection.active.line`))
    expect(line).toBeGreaterThan(0)
  })

  test("an accepted proposal moves to decisions.md, and undo restores both files", async () => {
    const path = ".squad/decisions/inbox/mira-hold-time.md"
    const [before, inbox] = [workbench.read(".squad/decisions.md"), workbench.read(path)]
    await workbench.run(`${open(path)} await vscode.commands.executeCommand("drey.accept")`)
    await expect.poll(() => workbench.read(path)).toBeUndefined()
    expect(workbench.read(".squad/decisions.md")).toContain("Seats are held for twelve minutes")
    await workbench.run(`await vscode.commands.executeCommand("drey.undo")`)
    await expect.poll(() => workbench.read(path)).toBe(inbox)
    expect(workbench.read(".squad/decisions.md")).toBe(before)
  })

  test("a refused proposal is kept with its reason, where it is not proposed again", async () => {
    const path = ".squad/decisions/inbox/mira-hold-time.md"
    const asked = workbench.run(`${open(path)} await vscode.commands.executeCommand("drey.refuse")`)
    await workbench.page.getByText("Why, so that its author can learn from it").first().waitFor()
    await workbench.page.locator(".quick-input-box input").first().fill("Twelve is too long")
    await workbench.page.keyboard.press("Enter")
    await asked
    await expect
      .poll(() => workbench.read(".squad/decisions/inbox/.refused/mira-hold-time.md"))
      .toContain("Twelve is too long")
    expect(workbench.read(path)).toBeUndefined()
    await workbench.run(`await vscode.commands.executeCommand("drey.undo")`)
    await expect.poll(() => workbench.read(path)).toContain("Seats are held")
  })

  test("a proposal that contains a key is not written into the decisions", async () => {
    const path = ".squad/decisions/inbox/kane-key.md"
    const before = workbench.read(".squad/decisions.md")
    const key = `AKIA${"IOSFODNN7QWERTYZ"}`
    workbench.write(
      path,
      `### 2026-03-02T10:00:00+0000: decision: Deploy with a key\n\n**author:** Kane\n\n**summary:** Use ${key} for the deployment.\n\n---\n`,
    )
    await workbench.page.getByRole("treeitem", { name: /Deploy with a key/ }).waitFor()
    await workbench.run(`${open(path)} await vscode.commands.executeCommand("drey.accept")`)
    await workbench.page
      .getByText(/Not changed: access token/)
      .first()
      .waitFor()
    expect(workbench.read(".squad/decisions.md")).toBe(before)
    rmSync(join(folder, path))
    await workbench.page.getByRole("treeitem", { name: /Deploy with a key/ }).waitFor({ state: "detached" })
  })

  test("a broken entry has its diagnostic as one types, and the quick fix makes it valid", async () => {
    const codes = await workbench.run<string[]>(`${open(money)}
      const edit = new vscode.WorkspaceEdit()
      edit.insert(uri, new vscode.Position(document.lineCount, 0), "\\n### 2026-03-02T10:00:00+0000: decision: Ports are numbered\\n\\n**timestamp:** 2026-03-02T10:00:00+0000\\n**author:** Kane\\n\\n**summary:** One number for each port.\\n\\n---\\n")
      await vscode.workspace.applyEdit(edit)
      ${until(`const found = vscode.languages.getDiagnostics(uri).map(({ code }) => code); return found.includes("missing-rationale") && found`)}`)
    expect(codes).toEqual(["missing-rationale"])
    const after = await workbench.run<{ text: string; codes: string[] }>(`${open(money)}
      const [problem] = vscode.languages.getDiagnostics(uri)
      const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, problem.range)
      const fix = actions.find(({ title }) => title === "Add a rationale")
      await vscode.workspace.applyEdit(fix.edit)
      ${until(`const found = vscode.languages.getDiagnostics(uri); return found.length === 0 && { text: document.getText(), codes: found }`)}`)
    expect(after.text).toMatch(/One number for each port\.\n\n\*\*rationale:\*\* Why this was decided\n\n---\n$/)
    await workbench.run(`${open(money)} await vscode.commands.executeCommand("workbench.action.files.revert")`)
  })

  test("a legacy entry is converted, keeps its id, and reads the same", async () => {
    const path = ".squad/decisions/legacy.md"
    workbench.write(
      path,
      "# Old\n\n### 2025-11-03: Tickets are printed in A6\n\n**By:** Otto\n\n**What:** The printer at the pier takes A6 only.\n\n**Why:** A5 jams.\n",
    )
    const converted = await workbench.run<{ before: string; after: string; text: string }>(`${open(path)}
      const idOf = async () => (await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, new vscode.Position(2, 6))).flatMap(({ contents }) => contents.map(({ value }) => value)).join("").match(/\`(sem-[^\`]+)\`/)?.[1]
      const before = await idOf()
      const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, new vscode.Range(2, 0, 2, 0))
      await vscode.workspace.applyEdit(actions.find(({ title }) => title === "Convert this entry to SEM").edit)
      return { before, after: await idOf(), text: document.getText() }`)
    expect(converted.text).toContain("**rationale:** A5 jams.")
    expect(converted.after).toBe(converted.before)
    await workbench.run(`${open(path)} await document.save()`)
  })

  test("hover, definition, outline, folding and lenses know the entries", async () => {
    const found = await workbench.run<Record<string, unknown>>(`${open(money)}
      const line = document.getText().split("\\n").findIndex((text) => text.startsWith("**supersedes:**"))
      const at = new vscode.Position(line, 20)
      const run = (name, ...rest) => Promise.race([vscode.commands.executeCommand("vscode.execute" + name, uri, ...rest), new Promise((_, reject) => setTimeout(() => reject(new Error(name + " does not answer")), 8000))])
      const hovers = await run("HoverProvider", at)
      const [definition] = await run("DefinitionProvider", at)
      const symbols = await run("DocumentSymbolProvider")
      const folds = await run("FoldingRangeProvider")
      const lenses = await run("CodeLensProvider", 20)
      const tokens = await vscode.commands.executeCommand("vscode.provideDocumentRangeSemanticTokens", uri, new vscode.Range(0, 0, 40, 0))
      return {
        hover: hovers.flatMap(({ contents }) => contents.map(({ value }) => value)).join("\\n"),
        definition: [definition.uri.path, definition.range.start.line],
        symbols: symbols.map(({ name }) => name),
        folds: folds.some(({ start, end }) => start === 2 && end > 10),
        lenses: lenses.map(({ command }) => command?.title),
        tokens: tokens.data.length / 5,
      }`)
    expect(found.hover).toContain("Cards are charged once")
    expect(found.hover).toContain("Superseded by [Charges carry a key]")
    expect(found.hover).toContain("Kane")
    expect(found.definition).toEqual([`/${money}`, 2])
    expect(found.symbols).toEqual(expect.arrayContaining(["Cards are charged once", "Charges carry a key"]))
    expect(found.folds).toBe(true)
    expect(found.lenses).toContain("$(arrow-right) Superseded by “Charges carry a key”")
    expect(found.tokens).toBeGreaterThan(15)
  })

  test("fields, their values and whole entries are completed", async () => {
    const labels = await workbench.run<Record<string, string[]>>(`${open(money)}
      const labelsAt = async (text) => {
        const edit = new vscode.WorkspaceEdit()
        edit.insert(uri, new vscode.Position(document.lineCount, 0), "\\n" + text)
        await vscode.workspace.applyEdit(edit)
        const end = document.lineAt(document.lineCount - 1).range.end
        const { items } = await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", uri, end)
        return items.map(({ label }) => (typeof label === "string" ? label : label.label + " " + label.description))
      }
      return { fields: await labelsAt("**"), authors: await labelsAt("**author:** "), supersedes: await labelsAt("**supersedes:** "), heading: await labelsAt("###") }`)
    expect(labels.fields).toContain("**rationale:**")
    expect(labels.authors).toEqual(expect.arrayContaining(["Ines", "Kane"]))
    expect(labels.supersedes?.some((label) => label.includes("Charges carry a key"))).toBe(true)
    expect(labels.heading).toContain("### decision")
    await workbench.run(`${open(money)} await vscode.commands.executeCommand("workbench.action.files.revert")`)
  })

  test("a file of code shows which decisions name it and its symbols", async () => {
    const titles = await workbench.run<string[]>(
      `${open("src/payments.ts")} return (await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uri, 20)).map(({ command }) => command?.title)`,
    )
    expect(titles).toContain("$(law) chargeCard: Charges carry a key")
    const asked = workbench.run(`${open("src/payments.ts")} await vscode.commands.executeCommand("drey.aboutFile")`)
    await workbench.page.locator(".quick-input-list").getByText("Charges carry a key").first().click()
    await asked
  })

  test("search finds as one types, and opens what was found", async () => {
    const { page } = workbench
    const asked = workbench.run(`await vscode.commands.executeCommand("drey.search", "")`)
    await page.locator(".quick-input-box input").first().fill("idempotency type:decision author:ines")
    await page.locator(".quick-input-list").getByText("Charges carry a key").first().click()
    await asked
    expect(await workbench.run<string>(until("return vscode.window.activeTextEditor?.document.uri.path"))).toBe(
      `/${money}`,
    )
  })

  test("an unknown key of a query is named", async () => {
    const asked = workbench.run(`await vscode.commands.executeCommand("drey.search", "")`)
    await workbench.page.locator(".quick-input-box input").first().fill("autor:ines")
    await workbench.page
      .getByText(/Did you mean "author:"/)
      .first()
      .waitFor()
    await workbench.page.keyboard.press("Escape")
    await asked
  })

  test("the selection is remembered as a rule, and a password in it is refused before anything is written", async () => {
    const { page } = workbench
    const asked = workbench.run(
      `${open("src/payments.ts")} vscode.window.activeTextEditor.selection = new vscode.Selection(0, 0, 2, 1); await vscode.commands.executeCommand("drey.rememberSelection")`,
    )
    await page.locator(".quick-input-list").getByText("Rule").first().click()
    const input = page.locator(".quick-input-box input").first()
    await page.getByText("In a sentence").first().waitFor()
    await input.fill(`Always send AKIA${"IOSFODNN7QWERTYZ"}`)
    await page
      .getByText(/This contains a secret/)
      .first()
      .waitFor()
    await input.fill("Never call chargeCard from a loop")
    await page
      .getByText(/This contains a secret/)
      .first()
      .waitFor({ state: "detached" })
    await page.keyboard.press("Enter")
    await page.getByText("Later readers will ask").first().waitFor()
    await page.keyboard.press("Enter")
    await asked
    await expect
      .poll(() => workbench.read(".squad/decisions.md"))
      .toContain(": directive: Never call chargeCard from a loop")
    expect(workbench.read(".squad/decisions.md")).toContain("About `src/payments.ts`:")
  })

  test("the views follow a file that another program changes", async () => {
    const text = workbench.read(money) ?? ""
    workbench.write(money, text.replace("Charges carry a key", "Charges carry two keys"))
    await workbench.page
      .getByRole("treeitem", { name: /^Charges carry two keys/ })
      .first()
      .waitFor()
    workbench.write(money, text)
    await workbench.page
      .getByRole("treeitem", { name: /^Charges carry a key/ })
      .first()
      .waitFor()
  })

  test("a session file is checked and completed by its schema", async () => {
    const path = ".squad/sessions/2026-03-02T10-00-00-charge/agent-memory.yaml"
    const found = await workbench.run<{ problems: string[]; values: string[] }>(`${open(path)}
      const edit = new vscode.WorkspaceEdit()
      const line = document.getText().split("\\n").findIndex((text) => text.includes("importance: high"))
      edit.replace(uri, document.lineAt(line).range, "    importance: huge")
      await vscode.workspace.applyEdit(edit)
      const wait = async () => { for (let turn = 0; turn < 100; turn++) { const all = vscode.languages.getDiagnostics(uri); if (all.length > 0) return all; await new Promise((done) => setTimeout(done, 50)) } return [] }
      const problems = (await wait()).map(({ message }) => message)
      const { items } = await vscode.commands.executeCommand("vscode.executeCompletionItemProvider", uri, new vscode.Position(line, 16))
      return { problems, values: items.map(({ label }) => label.label ?? label) }`)
    expect(found.problems.join("\n")).toContain("importance")
    expect(found.values).toEqual(expect.arrayContaining(["low", "high", "critical"]))
    await workbench.run(`${open(path)} await vscode.commands.executeCommand("workbench.action.files.revert")`)
  })

  test("in a decisions.md of 1.2 MB no keystroke is lost while it is checked", async () => {
    const entry = (nth: number) =>
      `### 2026-01-01T${String(Math.floor(nth / 3600)).padStart(2, "0")}:${String(Math.floor(nth / 60) % 60).padStart(2, "0")}:${String(nth % 60).padStart(2, "0")}+0000: decision: Choice number ${nth}\n\n**author:** Kane\n\n**summary:** What was chosen for part ${nth}.\n\n**details:**\n\n${`Part ${nth} is kept apart, because its neighbours change often. `.repeat(7)}\n\n**rationale:** It was measured.\n\n---\n\n`
    const path = ".squad/decisions/large.md"
    const text = `# Large\n\n${Array.from({ length: 2200 }, (_, nth) => entry(nth)).join("")}`
    expect(text.length).toBeGreaterThan(1_200_000)
    workbench.write(path, text)
    const { page } = workbench
    // Typing starts at once, while the file is read for the views and checked for the first time.
    await workbench.run(`${open(path)} vscode.window.activeTextEditor.selection = new vscode.Selection(1, 0, 1, 0)`)
    await page.locator(".monaco-editor textarea.inputarea, .monaco-editor .native-edit-context").first().focus()
    await page.evaluate(() => {
      const pauses: number[] = []
      Object.assign(globalThis, { pauses })
      new PerformanceObserver((list) => pauses.push(...list.getEntries().map(({ duration }) => duration))).observe({
        entryTypes: ["longtask"],
      })
    })
    const lag = workbench.run<number>(
      `let worst = 0; let last = Date.now(); for (let turn = 0; turn < 50; turn++) { await new Promise((done) => setTimeout(done, 20)); worst = Math.max(worst, Date.now() - last - 20); last = Date.now() } return worst`,
    )
    const typed = "dogs run without losing one key "
    await page.keyboard.type(typed, { delay: 30 })
    const line = await workbench.run<string>(
      until(
        `return vscode.window.activeTextEditor?.document.lineAt(1).text.includes("one key") && vscode.window.activeTextEditor.document.lineAt(1).text`,
      ),
    )
    expect(line).toBe(typed)
    const pauses = await page.evaluate(() => (globalThis as unknown as { pauses: number[] }).pauses)
    console.log(
      `1.2 MB: ${typed.length} keys, longest pause of the page ${Math.round(Math.max(0, ...pauses))} ms, of the extension host ${await lag} ms`,
    )
    const entries = await workbench.run<number>(
      `${open(path)} return (await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", uri)).length`,
    )
    expect(entries).toBeGreaterThan(2000) // it was checked, with what was typed in it
    await workbench.run(
      `${open(path)} await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor")`,
    )
    rmSync(join(folder, path))
  })

  test("the page logged no error of the extension", () => {
    expect(workbench.complaints).toEqual([])
  })
})

test.runIf(chromium === undefined)("VS Code Web is not tested: Chromium was not found", () => {
  console.log(
    "Chromium not found: the extension is not tested in VS Code Web. Install it, or set DREY_CHROMIUM to its path.",
  )
})
