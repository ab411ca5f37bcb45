import { expect, test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"

export function testContext(app: TestedApp): void {
  test("Context preview shows what an agent is handed and why, and less as the budget is moved", async () => {
    const page = await app.open("/context")
    await page.getByRole("combobox", { name: "Agent" }).selectOption({ label: "Kane" })
    await page.getByRole("textbox", { name: "Task" }).fill("Retry a payment that the bank did not answer")
    const handed = page.getByRole("article", { name: "Payments carry an idempotency key" })
    await handed.getByText("Included because:").waitFor()
    await handed.getByText(/^\d+ tokens$/).waitFor()
    const use = page.getByRole("region", { name: "How the budget is used" })
    await use.getByText(/of 2,000 tokens used/).waitFor()
    const count = await page.getByRole("article").count()
    const slider = page.getByRole("slider", { name: "Token budget" })
    await slider.focus()
    for (let step = 0; step < 16; step++) await page.keyboard.press("ArrowLeft")
    await use.getByText(/of 400 tokens used/).waitFor()
    await soon(() => page.getByRole("article").count()).toBeLessThan(count)
    await page.getByRole("tab", { name: /Left out/ }).click()
    await page.getByText("Did not fit the budget").waitFor()
    await page.getByText("Out because:").first().waitFor()
  })

  test("previewing a context does not count as use", async () => {
    const page = await app.open("/context?task=Install%20a%20package%20with%20npm")
    const handed = page.getByRole("article", { name: /This project uses pnpm/ })
    await handed.getByRole("link", { name: /This project uses pnpm/ }).click()
    await page.getByRole("tab", { name: /^Uses/ }).click()
    const uses = await page.locator(".use").count()
    await page.goBack()
    await page.getByRole("textbox", { name: "Task" }).fill("Install another package with npm")
    await page.getByRole("tab", { name: /Included/ }).waitFor()
    await handed.getByRole("link", { name: /This project uses pnpm/ }).click()
    await page.getByRole("tab", { name: /^Uses/ }).click()
    expect(await page.locator(".use").count()).toBe(uses)
  })
}
