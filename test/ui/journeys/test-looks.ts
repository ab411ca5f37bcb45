import axe from "axe-core"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { goTo } from "../browse.ts"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"
import { overhangOfPage, seriousFindings } from "./look-at-page.ts"

/** Every page, with something that shows that it is there. */
const pages: { path: string; shows: string }[] = [
  { path: "/", shows: "To review" },
  { path: "/timeline", shows: "Growth" },
  { path: "/explorer?q=payments", shows: "Payments carry an idempotency key" },
  { path: "/inbox", shows: "Bank webhooks are stored before they are handled" },
  { path: "/context?task=Retry%20a%20payment&agent=Kane", shows: "Payments carry an idempotency key" },
  { path: "/sessions", shows: "Customers are charged twice when the bank times out" },
  { path: "/agents", shows: "Backend" },
  { path: "/agents/Kane", shows: "Contexts" },
  { path: "/audit", shows: "Learned memory" },
  { path: "/health", shows: "Findings by file" },
]
const items = [
  { title: "Payments carry an idempotency key", filter: "source:decisions" },
  { title: "This project uses pnpm in this repository, never npm.", filter: "source:learned" },
]
/** From 0 to 255, whatever kind of colour the style sheet names. */
const brightnessOfBody = `(() => {
  const drawing = new OffscreenCanvas(1, 1).getContext("2d")
  drawing.fillStyle = getComputedStyle(document.body).backgroundColor
  drawing.fillRect(0, 0, 1, 1)
  return Math.max(...drawing.getImageData(0, 0, 1, 1).data.slice(0, 3))
})()`

export function testLooks(app: TestedApp): void {
  /** Goes through all pages without reloading the app. */
  const goThrough = async (page: Page, look: (path: string) => Promise<void>) => {
    for (const { path, shows } of pages) {
      await goTo(page, path)
      await page.getByText(shows).first().waitFor()
      await look(path)
    }
    for (const { title, filter } of items) {
      const path = `/items/${await app.idOf(page, title, filter)}`
      await goTo(page, path)
      await page.getByRole("heading", { level: 2, name: title }).waitFor()
      await look(path)
    }
  }

  test.each([{ dark: false }, { dark: true }])(
    "axe finds nothing serious on any page (dark: $dark)",
    async ({ dark }) => {
      const page = await app.open("/", { dark, bypassCsp: true })
      const found: string[] = []
      await page.evaluate(axe.source)
      await goThrough(page, async (path) => {
        const serious = await page.evaluate<string[]>(seriousFindings)
        found.push(...serious.map((each) => `${path} ${each}`))
      })
      expect(found).toEqual([])
    },
  )

  test("no page scrolls sideways at 380 pixels, and the bar leads to every page", async () => {
    const page = await app.open("/", { width: 380, height: 800 })
    const wide: string[] = []
    await goThrough(page, async (path) => {
      const overhang = await page.evaluate<number>(overhangOfPage)
      if (overhang > 0) wide.push(`${path} by ${overhang} pixels`)
    })
    expect(wide).toEqual([])
    await page.getByRole("button", { name: "More" }).click()
    await page.getByRole("menuitem", { name: "Health" }).click()
    await page.getByRole("heading", { level: 1, name: "Health" }).waitFor()
  })

  test("on a phone the list gives way to the item, and Back leads to the list", async () => {
    const page = await app.open("/explorer?q=idempotency", { width: 380, height: 800 })
    await page.getByRole("option", { name: /Payments carry an idempotency key/ }).click()
    await page.getByRole("heading", { level: 2, name: /Payments carry an idempotency key/ }).waitFor()
    expect(await page.getByRole("listbox", { name: "Results" }).count()).toBe(0)
    await page.getByRole("button", { name: "Back" }).click()
    await page.getByRole("option", { name: /Payments carry an idempotency key/ }).waitFor()
  })

  test("the app is dark where the system is, and the person's own choice outlives a reload", async () => {
    const page = await app.open("/", { dark: true })
    const brightness = () => page.evaluate<number>(brightnessOfBody)
    await page.getByRole("button", { name: "Theme: system" }).waitFor()
    await soon(brightness).toBeLessThan(60)
    await page.getByRole("button", { name: "Theme: system" }).click()
    await page.getByRole("button", { name: "Theme: light" }).waitFor()
    await soon(brightness).toBeGreaterThan(200)
    await page.reload()
    await page.getByRole("button", { name: "Theme: light" }).click()
    await page.getByRole("button", { name: "Theme: dark" }).waitFor()
    await soon(brightness).toBeLessThan(60)
  })
}
