import { test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"

export function testTimeline(app: TestedApp): void {
  test("a span that is drawn on the Timeline filters the Timeline and the Explorer", async () => {
    const page = await app.open("/timeline")
    const all = page.getByRole("link", { name: /^All [\d,]+$/ })
    await soon(() => all.textContent()).toMatch(/^All 12,\d\d\d$/)
    const chart = page.locator(".chart .u-over").first()
    await chart.scrollIntoViewIfNeeded()
    const box = await chart.boundingBox()
    if (!box) throw new Error("The chart has no place.")
    const [from, to] = [0.55, 0.7].map((share) => box.x + box.width * share) as [number, number]
    await page.mouse.move(from, box.y + 5)
    await page.mouse.down()
    await page.mouse.move(to, box.y + 5, { steps: 5 })
    await page.mouse.up()
    const query = page.getByRole("combobox", { name: "Query" })
    await soon(() => query.inputValue()).toMatch(/after:\d{4}.* before:\d{4}/)
    await soon(() => all.textContent()).toMatch(/^All (?!12,)[1-9][\d,]*$/)
    const count = (await all.textContent())?.slice("All ".length)
    await page.getByRole("link", { name: "Show these in the Explorer" }).click()
    await page.getByText(`${count} items`, { exact: true }).waitFor()
    await page.getByRole("button", { name: /^Remove the span/ }).click()
    await page.getByText(/^12,\d\d\d items$/).waitFor()
  })

  test("the keys zoom the Timeline and show everything again", async () => {
    const page = await app.open("/timeline")
    const summary = page.locator(".span-summary")
    await soon(() => summary.textContent()).toMatch(/all time: 12,\d\d\d items/)
    await page.keyboard.press("+")
    await soon(() => summary.textContent()).not.toContain("all time")
    await page.keyboard.press("0")
    await soon(() => summary.textContent()).toContain("all time")
  })
}
