import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Page } from "playwright-core"
import { type Look, visit } from "../../test/ui/browse.ts"
import { makeSample } from "../../test/ui/sample/make-sample.ts"
import { startUi } from "../../test/ui/start-ui.ts"
import { findChromium } from "../chromium/find-chromium.ts"
import { shrinkPng } from "./shrink-png.ts"

/** A page, the text that shows it has loaded, and what to click then. */
type Shot = { name: string; path: string; shows: string; click?: (page: Page) => Promise<void> }

const payments = "Payments carry an idempotency key"
const shots: Shot[] = [
  { name: "overview", path: "/", shows: "To review" },
  { name: "timeline", path: "/timeline", shows: "Growth" },
  {
    name: "explorer",
    path: "/explorer?q=payments",
    shows: payments,
    click: async (page) => {
      const { width = 0 } = page.viewportSize() ?? {}
      if (width >= 900) await page.getByRole("option", { name: payments }).click()
    },
  },
  {
    name: "detail",
    path: `/explorer?q="${payments}"`,
    shows: payments,
    click: async (page) => {
      const params = { q: `"${payments}" source:decisions`, limit: 1 }
      const answer = await page.request.get("/api/items", { params, headers })
      await page.goto(`/items/${(await answer.json()).rows[0].id}`)
      await page.getByRole("tab", { name: /^Related/ }).click()
      await page.getByRole("list", { name: "Related items" }).waitFor()
    },
  },
  { name: "inbox", path: "/inbox?open=.squad%2Fdecisions%2Finbox%2Fmira-hold-time.md", shows: "It would replace" },
  {
    name: "context",
    path: "/context?agent=Kane&task=Add%20a%20package%20that%20retries%20payments",
    shows: "Included because:",
  },
  {
    name: "sessions",
    path: "/sessions",
    shows: "Customers are charged twice",
    click: async (page) => {
      await page.getByRole("link", { name: /Customers are charged twice/ }).click()
      await page.getByText("Solved by").first().waitFor()
    },
  },
  {
    name: "conversations",
    path: "/conversations",
    shows: "conversations",
    click: async (page) => {
      await page.locator("nav[aria-label=Conversations] a").first().click()
      await page.getByRole("list", { name: "Steps" }).getByText("User").first().waitFor()
    },
  },
  { name: "agents", path: "/agents", shows: "Backend" },
  { name: "audit", path: "/audit", shows: "Intact." },
  { name: "health", path: "/health", shows: "Findings by file" },
]
const looks: (Look & { suffix: string })[] = [
  { suffix: "light", width: 1280, height: 800 },
  { suffix: "dark", width: 1280, height: 800, dark: true },
  { suffix: "phone-light", width: 380, height: 800 },
  { suffix: "phone-dark", width: 380, height: 800, dark: true },
]
const settleMs = 700

// Writes every page of the browser app to docs/screenshots: light and dark, for a desk and for a phone.
const chromium = findChromium()
if (!chromium) throw new Error("Chromium not found. Install it, or set DREY_CHROMIUM to its path.")
const folder = mkdtempSync(join(tmpdir(), "drey-screenshots-"))
const ui = await startUi(await makeSample(folder, { entries: 0, memories: 0 }))
const { open, close, headers, complaints } = await visit(chromium, ui.url)
const target = resolve("docs", "screenshots")
mkdirSync(target, { recursive: true })
try {
  for (const { suffix, ...look } of looks)
    for (const { name, path, shows, click } of shots) {
      const page = await open(path, look)
      await page.getByText(shows).first().waitFor()
      await click?.(page)
      await page.waitForTimeout(settleMs) // charts and graphs are drawn after their numbers are there
      writeFileSync(join(target, `${name}-${suffix}.png`), shrinkPng(await page.screenshot()))
      await page.close()
    }
  if (complaints.length > 0) throw new Error(`The pages complained: ${complaints.join("; ")}`)
} finally {
  await close()
  await ui.stop()
  rmSync(folder, { recursive: true, force: true })
}
