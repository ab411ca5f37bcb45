import { readFileSync } from "node:fs"
import type { Browser, Page } from "playwright-core"

export type TabMemory = {
  /** Of JavaScript's own heap, in bytes. */
  heap: number
  /** Of the whole process, without what it shares with others; undefined where the system does not report it. */
  process: number | undefined
}

/** What the only tab of a browser takes, after it has cleaned up. */
export async function tabMemory(browser: Browser, page: Page): Promise<TabMemory> {
  const tab = await page.context().newCDPSession(page)
  await tab.send("HeapProfiler.collectGarbage")
  await tab.send("Performance.enable")
  const { metrics } = await tab.send("Performance.getMetrics")
  const heap = metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0
  const whole = await browser.newBrowserCDPSession()
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo")
  const sizes = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => privateBytes(id))
  return { heap, process: sizes.some((size) => size === undefined) ? undefined : Math.max(...(sizes as number[])) }
}

function privateBytes(pid: number): number | undefined {
  try {
    const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
    return line ? Number(line[1]) * 1024 : undefined
  } catch {
    return undefined // only Linux has such a file
  }
}
