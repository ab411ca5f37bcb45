import { expect, test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"

export function testOverview(app: TestedApp): void {
  test("Overview shows whether memory helps, and what to review is one click away", async () => {
    const page = await app.open("/")
    const helping = page.getByRole("region", { name: "Is memory helping?" })
    await helping.getByText("Helped").waitFor()
    const needs = page.getByRole("region", { name: "To review" })
    await needs.getByRole("link", { name: /proposals are waiting in the inbox/ }).click()
    await page.getByRole("link", { name: /Bank webhooks are stored/ }).waitFor()
    await page.goBack()
    await needs.getByRole("link", { name: /due for review/ }).click()
    await page.getByRole("option", { name: /No deployment on Fridays in July/ }).waitFor()
    expect(await page.getByRole("combobox", { name: "Query" }).inputValue()).toBe("status:expired")
  })

  test("Overview shows what telling each agent costs, and leads to the agent", async () => {
    const page = await app.open("/")
    const cost = page.getByRole("region", { name: "Context cost per agent" })
    await soon(() => cost.getByRole("listitem").filter({ hasText: "Kane" }).textContent()).toMatch(/\d tokens/)
    await cost.getByRole("link", { name: "Kane" }).click()
    await page.getByRole("heading", { level: 1, name: "Kane" }).waitFor()
  })
}
