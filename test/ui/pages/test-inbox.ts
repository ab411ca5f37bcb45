import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"

const decisions = ".squad/decisions.md"

export function testInbox(app: TestedApp): void {
  const openProposal = async (title: RegExp): Promise<Page> => {
    const page = await app.open("/inbox")
    await page.getByRole("link", { name: title }).click()
    await page.getByRole("heading", { level: 2, name: title }).waitFor()
    return page
  }
  const waits = (page: Page, title: RegExp) => page.getByRole("navigation").getByRole("link", { name: title })

  test("a proposal is accepted unchanged, and the toast's undo returns it to the inbox", async () => {
    const title = /Bank webhooks are stored before they are handled/
    const page = await openProposal(title)
    const before = app.read(decisions)
    await page.getByText("File changes on accept").waitFor()
    await page.getByRole("button", { name: "Accept" }).click()
    await waits(page, title).waitFor({ state: "detached" })
    await soon(() => app.read(decisions)).toMatch(title)
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await waits(page, title).waitFor()
    expect(app.read(decisions)).toBe(before)
  })

  test("a proposal is accepted in other words", async () => {
    const title = /The status page is served from another provider/
    const page = await openProposal(title)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByRole("textbox", { name: "Text, as Markdown" }).fill("It runs at another provider than the site.")
    await page.getByRole("button", { name: "Accept edited version" }).click()
    await waits(page, title).waitFor({ state: "detached" })
    expect(app.read(decisions)).toContain("It runs at another provider than the site.")
    expect(app.read(decisions)).not.toContain("its texts can be changed from a phone")
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await waits(page, title).waitFor()
  })

  test("a near-duplicate is shown beside the active entry, and merged into it", async () => {
    const title = /Flaky tests are fixed or deleted within two days/
    const page = await openProposal(title)
    const beside = page.getByRole("region", { name: /Beside A flaky test is fixed/ })
    await beside.getByText("It is nearly the same as this entry").waitFor()
    await page.getByRole("button", { name: "Merge into…" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("radio", { name: /Replace the entry/ }).check()
    await dialog.getByRole("button", { name: "Merge", exact: true }).click()
    await waits(page, title).waitFor({ state: "detached" })
    await soon(() => app.read(decisions)).toMatch(title)
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await waits(page, title).waitFor()
    await soon(() => app.read(decisions)).not.toMatch(title)
  })

  test("a memory that has proved itself is refused with a reason, which is on record", async () => {
    const title = /This project uses pnpm in this repository/
    const page = await openProposal(title)
    await page.getByRole("button", { name: "Refuse" }).click()
    await page.getByRole("textbox", { name: "Why not?" }).fill("It stands in the readme.")
    await page.getByRole("button", { name: "Refuse proposal" }).click()
    await waits(page, title).waitFor({ state: "detached" })
    await soon(() => app.read(".squad/memory/audit.jsonl")).toContain("It stands in the readme.")
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await waits(page, title).waitFor()
  })

  test("a broken file shows its problems, and its proposal once it is fixed", async () => {
    const page = await app.open("/inbox")
    await waits(page, /otto-pier\.md/).click()
    await page
      .getByText(/merge conflict/)
      .first()
      .waitFor()
    app.change(".squad/decisions/inbox/otto-pier.md", (text) => text.replace(/<{7}[\s\S]*={7}\n|>{7}.*\n/g, ""))
    await waits(page, /Scanners report at the pier/).waitFor()
  })
}
