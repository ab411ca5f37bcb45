import type { Page } from "playwright-core"
import { test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"

export function testKeyboard(app: TestedApp): void {
  test("without a mouse: from Overview to the inbox, refuse a proposal, take that back, and find an entry", async () => {
    const page = await app.open("/")
    await page.getByRole("link", { name: /proposals are waiting in the inbox/ }).waitFor()
    await tabTo(page, /proposals are waiting in the inbox/)
    await page.keyboard.press("Enter")
    const title = page.getByRole("region", { name: "Selected proposal" }).getByRole("heading", { level: 2 })
    await title.waitFor()
    await page.keyboard.press("j")
    await page.keyboard.press("k")
    const proposed = await title.textContent()
    await page.keyboard.press("r")
    await page.getByRole("dialog").waitFor()
    await page.keyboard.type("We have that already.")
    await page.keyboard.press("Enter")
    await soon(() => title.textContent()).not.toBe(proposed)
    await page.keyboard.press("F8") // to the notices
    await tabTo(page, /^Undo$/)
    await page.keyboard.press("Enter")
    await page.getByText(/^Undid/).waitFor()
    await soon(() => title.textContent()).toBe(proposed)
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await soon(() => page.evaluate("document.activeElement?.closest('[role=dialog]') !== null")).toBe(true)
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await tabTo(page, /^Explorer/)
    await page.keyboard.press("Enter")
    await page.getByRole("combobox", { name: "Query" }).waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("source:decisions idempotency")
    await page
      .getByRole("option", { name: /idempotency key/ })
      .first()
      .waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await tabTo(page, /^Edit/)
    await page.keyboard.press("Enter")
    await page.getByRole("textbox", { name: "Text, as Markdown" }).waitFor()
    await tabTo(page, /^Discard/)
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Edit" }).waitFor()
  })
}

/** Presses Tab until something with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const focused = await page.evaluate<string>(
      "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
    )
    if (name.test(focused.trim()) && focused.length < 200) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not lead to ${name}`)
}
