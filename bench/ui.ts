import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page } from "playwright-core"
import { findChromium } from "../scripts/chromium/find-chromium.ts"
import { type Visit, visit } from "../test/ui/browse.ts"
import { makeSample } from "../test/ui/sample/make-sample.ts"
import { startUi } from "../test/ui/start-ui.ts"
import { printColumns } from "./recall/print-table.ts"
import { entryMaker } from "./recall-speed/made-entries.ts"
import { percentile } from "./recall-speed/timing.ts"
import { tabMemory } from "./ui/tab-memory.ts"
import { timeTyping } from "./ui/time-typing.ts"

/** The browser app on a large repository, in a real browser: `node scripts/run-ts.mjs bench/ui.ts`. */
const size = { entries: 2_000, memories: 10_000 }
const queries = 6

const chromium = findChromium()
if (!chromium) throw new Error("Chromium not found. Install it, or set DREY_CHROMIUM to its path.")
const folder = mkdtempSync(join(tmpdir(), "drey-bench-ui-"))
const ui = await startUi(await makeSample(folder, size))
const opened = await visit(chromium, ui.url)
try {
  await printFigures(opened)
} finally {
  await opened.close()
  await ui.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function printFigures({ browser, open }: Visit): Promise<void> {
  const page = await open("/explorer")
  await page.getByText(/^[\d,]+ items$/).waitFor()
  const load = await loadedBytes(page)
  const { question } = entryMaker(77)
  const times = await timeTyping(page, ["payments idempotency", ...Array.from({ length: queries }, question)])
  await lookAround(page)
  const memory = await tabMemory(browser, page)
  const milliseconds = (share: number) => `${percentile(times, share).toFixed(0)} ms`
  console.log(`\n${size.entries} entries, ${size.memories} memories; ${times.length} keys.\n`)
  printColumns([
    ["", "measured", "at most"],
    ["from a key to what it finds, painted: median", milliseconds(0.5), ""],
    ["the same, 95 of 100", milliseconds(0.95), "50 ms"],
    ["the tab's JavaScript, after every page", megabytes(memory.heap), "150 MB"],
    ["the tab's process", memory.process === undefined ? "unknown" : megabytes(memory.process), "150 MB"],
    ["until the Explorer is shown, gzipped", `${(load / 1000).toFixed(0)} KB`, "250 KB"],
  ])
}

/** The app's own files that the browser fetched until the page was shown, gzipped. */
async function loadedBytes(page: Page): Promise<number> {
  const addresses = await page.evaluate<string[]>(
    "[location.origin, ...performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/'))]",
  )
  const sizes = addresses.map(async (address) => gzipSync(await (await page.request.get(address)).body()).length)
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0)
}

async function lookAround(page: Page): Promise<void> {
  for (const name of [
    "Overview",
    "Timeline",
    "Inbox",
    "Context",
    "Sessions",
    "Agents",
    "Audit",
    "Health",
    "Explorer",
  ]) {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click()
    await page.getByRole("heading", { level: 1 }).first().waitFor()
    await page.waitForTimeout(1000)
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB`
}
