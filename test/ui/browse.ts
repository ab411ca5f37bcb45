import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import type { LoginAnswer } from "../../src/recall/browse/app-api.ts"

/** A browser that was let in by the link of a running app. */
export type Visit = {
  browser: Browser
  /** What a request shows that a test makes by itself. */
  headers: Record<string, string>
  /** Opens a page of the app in a tab of its own; tabs of one look share a profile. */
  open(path: string, look?: Look): Promise<Page>
  /** Every address that any page has asked for. */
  asked: string[]
  /** What any page had to complain of: scripts that threw, what the Content-Security-Policy forbade. */
  complaints: string[]
  close(): Promise<void>
}

export type Look = {
  width?: number
  height?: number
  dark?: boolean
  /** For what a test itself brings into the page. */
  bypassCsp?: boolean
}

export const wait = 20_000

/** A server that was busy may close a connection that idled just as it is used again: a browser retries, and so do requests of tests. */
export const resets = 2

export async function visit(executablePath: string, link: string): Promise<Visit> {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
  const { origin } = new URL(link)
  const key = await enter(link)
  const [asked, complaints]: [string[], string[]] = [[], []]
  const contexts = new Map<string, Promise<BrowserContext>>()
  const contextFor = (look: Look): Promise<BrowserContext> => {
    const known = contexts.get(JSON.stringify(look)) ?? openContext(look)
    contexts.set(JSON.stringify(look), known)
    return known
  }
  const openContext = async ({ width = 1280, height = 800, dark = false, bypassCsp = false }: Look) => {
    const context = await browser.newContext({
      baseURL: origin,
      bypassCSP: bypassCsp,
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce",
      viewport: { width, height },
      storageState: { cookies: [], origins: [{ origin, localStorage: [{ name: "drey-key", value: key }] }] },
    })
    context.setDefaultTimeout(wait)
    listen(context, asked, complaints)
    return context
  }
  return {
    browser,
    headers: { "x-drey-key": key },
    asked,
    complaints,
    async open(path, look = {}) {
      const context = await contextFor(look)
      const page = await context.newPage()
      await page.goto(path)
      return page
    },
    close: () => browser.close(),
  }
}

/** Shows the link's token, which works once, for the key that a browser keeps from then on. */
export async function enter(link: string): Promise<string> {
  const { origin, searchParams } = new URL(link)
  const answer = await fetch(`${origin}/api/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: searchParams.get("token") }),
  })
  if (!answer.ok) throw new Error(`${link} lets nobody in: ${answer.status}`)
  return ((await answer.json()) as LoginAnswer).key
}

/** Goes to another page of the app as it runs, so that whatever has happened to it stays. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`)
  await page.locator("h1").first().waitFor()
}

/** Notes what the pages of a browser ask for and complain of. */
export function listen(context: BrowserContext, asked: string[], complaints: string[]): void {
  context.on("request", (request) => void asked.push(request.url()))
  context.on("weberror", (problem) => void complaints.push(String(problem.error())))
  context.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on("console", (message) => {
    // the browser reports every answer from 400 on, which the app expects and shows
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text())
  })
}
