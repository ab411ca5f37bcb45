import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { chromium, type Page } from "playwright-core"
import { describe, expect, onTestFinished, test } from "vitest"
import { findChromium } from "../../scripts/chromium/find-chromium.ts"
import { redirectPage } from "../../src/web/browser.ts"
import { makeSample } from "./sample/make-sample.ts"
import { startUi } from "./start-ui.ts"

const executablePath = findChromium()

describe.skipIf(executablePath === undefined)("the key of the browser app (needs Chromium)", () => {
  test("a page on another port of this machine gets nothing that lets it in", async () => {
    const { page, ui } = await enterByFile()
    const seen: IncomingHttpHeaders[] = []
    // it leads the browser on to itself, so that its second request comes from its own site
    const other = createServer(({ url, headers }, response) => {
      seen.push(headers)
      const onward = url === "/" ? '<meta http-equiv="refresh" content="0;url=/again">' : ""
      response.setHeader("content-type", "text/html").end(`<!doctype html><title>other</title>${onward}`)
    }).listen(0, "127.0.0.1")
    await once(other, "listening")
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/`)
    await page.waitForURL(/\/again$/)
    expect(seen.length).toBeGreaterThanOrEqual(2)
    for (const headers of seen) expect(Object.keys(headers)).not.toContain("cookie")
    expect(
      await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage, cookies: document.cookie })"),
    ).toBe('{"cookies":""}')
    // nor can it send requests, or have the browser do so
    const answer = page.evaluate(
      `fetch("http://127.0.0.1:${ui.port}/api/about", { credentials: "include" }).then(({ status }) => status)`,
    )
    await expect(answer).rejects.toThrow("Failed to fetch")
    for (const headers of seen.map(({ host: _, ...rest }) => rest))
      expect(
        (await fetch(`http://127.0.0.1:${ui.port}/api/about`, { headers: headers as Record<string, string> })).status,
      ).toBe(401)
    expect(await page.context().cookies()).toEqual([])
  })

  test("the browser that came in by the file stays in: after a reload, in another tab, and with the used link", async () => {
    const { page, ui } = await enterByFile()
    expect(page.url()).toBe(`http://127.0.0.1:${ui.port}/`) // the token is in no address any more
    await page.reload()
    await heading(page, "Overview")
    const tab = await page.context().newPage()
    await tab.goto(`http://127.0.0.1:${ui.port}/explorer`)
    await tab.getByText(/^[\d,]+ items$/).waitFor()
    await tab.goto(ui.url)
    await heading(tab, "Overview")
  })

  test("a second browser is shown how to get a link of its own", async () => {
    const { page, ui } = await enterByFile()
    const other = await page.context().browser()?.newPage()
    await other?.goto(ui.url)
    await other?.getByRole("heading", { name: "This link is no longer valid" }).waitFor()
    await other?.getByText("drey ui").waitFor()
  })
})

/** Opens the file that a browser is given, which leads to the app. */
async function enterByFile() {
  const folder = mkdtempSync(join(tmpdir(), "drey-ui-"))
  const ui = await startUi(await makeSample(folder, { entries: 0, memories: 0 }))
  const args = ["--no-sandbox", "--disable-dev-shm-usage"]
  const browser = await chromium.launch({ executablePath: executablePath ?? "", args })
  onTestFinished(async () => {
    await browser.close()
    await ui.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const page = await (await browser.newContext()).newPage()
  const path = join(folder, "open.html")
  writeFileSync(path, redirectPage(ui.url))
  await page.goto(pathToFileURL(path).href)
  await heading(page, "Overview")
  return { page, ui }
}

function heading(page: Page, name: string): Promise<void> {
  return page.getByRole("heading", { level: 1, name }).waitFor()
}
