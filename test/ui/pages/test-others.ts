import { writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"

/** Sessions, Conversations, Agents, Audit and Health. */
export function testOthers(app: TestedApp): void {
  test("Sessions shows what was tried as a track, what failed and what solved it", async () => {
    const page = await app.open("/sessions")
    await page.getByRole("link", { name: /Make the list of departures load in a second.*running/ }).waitFor()
    await page.getByRole("link", { name: /Customers are charged twice/ }).click()
    await page.getByRole("heading", { level: 2, name: /Customers are charged twice/ }).waitFor()
    await page.getByRole("button", { name: /kane: Book a payment once: wait longer before the retry \(failed/ }).click()
    const failed = page.getByRole("listitem", { name: "Book a payment once: wait longer before the retry" })
    await failed.getByText("2 of 40 simulated payments were booked twice").waitFor()
    await failed
      .getByText("Solved by")
      .getByRole("button", { name: /send a key with the retry/ })
      .waitFor()
    await page.getByRole("tab", { name: /^Decisions/ }).click()
    await page.getByText("Every payment carries an idempotency key").first().waitFor()
    await page.getByRole("tab", { name: /^Discoveries/ }).click()
    await page.getByText(/A timeout after the bank has booked/).waitFor()
  })

  test("Conversations lists what was said, finds one by its words, and replays it", async () => {
    const page = await app.open("/conversations")
    const list = page.getByRole("navigation", { name: "Conversations" })
    await list.getByRole("link").nth(1).waitFor()
    const title = (await list.getByRole("link").nth(1).locator(".item-row-title").textContent()) ?? ""
    await page
      .getByRole("searchbox", { name: "Search conversations" })
      .fill(`"${title.split(" ").slice(0, 4).join(" ")}"`)
    await list.getByRole("link").filter({ hasText: title }).first().click()
    await page.getByRole("heading", { level: 2, name: title }).waitFor()
    await page.getByRole("list", { name: "Steps" }).getByText("User").first().waitFor()
    await page.locator("summary").first().click()
    await page.locator("details[open] pre").waitFor()
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("client:codex")
    await page.getByText("No conversation matches.").waitFor()
  })

  test("Agents compares the agents, and shows one's history and what it was handed", async () => {
    const page = await app.open("/agents")
    const row = page.getByRole("row", { name: /^Kane Backend/ })
    await row.getByRole("link", { name: "Kane" }).click()
    await page.getByRole("tab", { name: /^History/ }).click()
    await page.getByRole("link", { name: /The timetable file is in Latin-1/ }).waitFor()
    await page.getByRole("tab", { name: /^Contexts/ }).click()
    await soon(() => page.getByRole("tabpanel").textContent()).toMatch(/claude-code|Claude Code/)
  })

  test("Audit is filtered, and reports a changed line", async () => {
    const page = await app.open("/audit")
    await page.getByText("Intact.").waitFor()
    await page.getByRole("searchbox", { name: "Words, a path or an id" }).fill("nothing of the kind")
    await page.getByText("0 lines", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Clear" }).first().click()
    await page.getByText("Learned memory").first().waitFor()
    app.change(".squad/memory/audit.jsonl", (text) => text.replace("Learned memory", "Learned nothing"))
    await page.reload()
    await page.getByRole("alert").getByText("Broken.").waitFor()
  })

  test("a broken file shows its problems on Health, below their lines, and disappears when it is fixed", async () => {
    const page = await app.open("/health")
    await page.getByRole("region", { name: "Findings by file" }).waitFor()
    const path = join(app.sample.root, ".squad/decisions/by-hand.md")
    onTestFinished(() => rm(path, { force: true }))
    const heading = "### 2026-13-45T09:00:00Z: decision: A date that is none"
    writeFileSync(path, `# By hand\n\n${heading}\n**Author:** Kane\n\nText.\n`)
    const file = page.getByRole("region", { name: /decisions\/by-hand\.md/ })
    await file.getByText(heading).waitFor()
    expect(await file.getByText(/^Line 3/).count()).toBe(1)
    await rm(path)
    await file.waitFor({ state: "detached" })
  })
}
