import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { runCli } from "../../run-cli.ts"
import { visit } from "../browse.ts"
import { makeSample } from "../sample/make-sample.ts"
import { soon } from "../soon.ts"
import { startUi } from "../start-ui.ts"
import type { TestedApp } from "../tested-app.ts"

export function testLive(app: TestedApp, executablePath: string): void {
  test("an entry that is written in an editor appears without a reload, and goes with its text", async () => {
    const page = await app.open("/explorer?q=lighthouse")
    await page.getByText("No results.").waitFor()
    const entry =
      "### 2026-02-15T09:00:00Z: decision: Paint the lighthouse red\n**Author:** Kane\n\nIt is seen better.\n"
    const before = app.read(".squad/decisions.md")
    app.change(".squad/decisions.md", (text) => `${text}\n---\n\n${entry}`)
    const option = page.getByRole("option", { name: /Paint the lighthouse red/ })
    await option.waitFor()
    app.change(".squad/decisions.md", () => before)
    await option.waitFor({ state: "detached" })
  })

  test("a memory that another process stores appears without a reload", async () => {
    const page = await app.open("/explorer?q=buoys")
    await page.getByText("No results.").waitFor()
    const folder = mkdtempSync(join(tmpdir(), "drey-bundle-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const bundle = join(folder, "memories.json")
    writeFileSync(bundle, JSON.stringify(oneMemory("Count the buoys before the tide turns")))
    const { root, env } = app.sample
    expect(await runCli(["import", "--learned", bundle], { cwd: root, env })).toMatchObject({ code: 0 })
    await page.getByRole("option", { name: /Count the buoys before the tide turns/ }).waitFor()
  })

  test("a session that is worked on elsewhere grows in sight", async () => {
    const page = await app.open("/sessions")
    await page.getByRole("link", { name: /Make the list of departures/ }).click()
    await page.getByRole("tab", { name: /^Discoveries/ }).click()
    const { root, env } = app.sample
    const id = /sessions\/([^?]+)/.exec(page.url())?.[1] ?? ""
    const noted = ["session", "discover", "Gulls sit on the antenna", "--type", "failure_cause", "--agent", "mira"]
    expect(await runCli(noted, { cwd: root, env: { ...env, DREY_SESSION: id } })).toMatchObject({ code: 0 })
    await page.getByText("Gulls sit on the antenna").waitFor()
  })

  test("a lost connection is shown; a restarted server asks for its link, and then everything is current", async () => {
    const folder = mkdtempSync(join(tmpdir(), "drey-ui-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const sample = await makeSample(folder, { entries: 0, memories: 0 })
    const first = await startUi(sample)
    const { open, close } = await visit(executablePath, first.url)
    onTestFinished(close)
    const page = await open("/explorer?q=lighthouse")
    await page.getByText("No results.").waitFor()
    await first.stop()
    const notice = page.locator(".connection-notice")
    await notice.getByText(/Connection lost/).waitFor()
    const entry =
      "### 2026-02-15T09:00:00Z: decision: Paint the lighthouse red\n**Author:** Kane\n\nIt is seen better.\n"
    appendFileSync(join(sample.root, ".squad/decisions.md"), `\n---\n\n${entry}`)
    const second = await startUi(sample, first.port)
    onTestFinished(second.stop)
    await notice.getByText(/This link is no longer valid/).waitFor()
    const other = await page.context().newPage()
    await other.goto(second.url)
    await other.getByRole("heading", { level: 1 }).first().waitFor()
    await page.getByRole("option", { name: /Paint the lighthouse red/ }).waitFor()
    await soon(() => notice.textContent()).toBe("")
  })
}

function oneMemory(text: string): object {
  const time = "2026-05-01T00:00:00.000Z"
  const owner = { owner_type: "user", owner_id: "ines" }
  const place = { project_id: null, scope: "global", path_prefix: null, key: null }
  const state = { kind: "pattern", tier: "long_term", polarity: 1, status: "active", confidence: 0.9 }
  const times = { expires_at: null, created_at: time, updated_at: time }
  const memory = { id: `m-${"b".repeat(16)}`, text, ...place, ...owner, ...state, ...times }
  return { version: "1.0", exported_at: time, memories: [memory] }
}
