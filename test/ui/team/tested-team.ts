import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from "vitest"
import type { Role, SharedMemory, TeamMemory } from "../../../src/server/api.ts"
import { shared } from "../../../src/server/test-team-server.ts"
import { type Look, listen, resets, wait } from "../browse.ts"
import { type RunningTeam, startTeam } from "./start-team.ts"

/** A team's server and a browser for everybody in it, for all tests of a file. */
export type TestedTeam = {
  readonly url: string
  /** Every address that any page has asked for. */
  readonly asked: string[]
  /** Somebody with a browser of their own, not signed in. */
  stranger(look?: Look): Promise<Person>
  owner(look?: Look): Promise<Person>
  /** Somebody whom the owner has let in. */
  member(name: string, role: Role, teams?: string[], look?: Look): Promise<Person>
}

export type Person = {
  context: BrowserContext
  /** Opens a page of the app for as long as the test runs. */
  open(path: string): Promise<Page>
  /** Asks the server as this person's browser would. */
  ask<Answer>(method: string, path: string, body?: object): Promise<Answer>
  share(given: Partial<SharedMemory>): Promise<TeamMemory>
}

export function testedTeam(executablePath: string): TestedTeam {
  let parts: { folder: string; server: RunningTeam; browser: Browser; cookies: Cookies } | undefined
  const [asked, complaints]: [string[], string[]] = [[], []]
  let people = 0
  let memories = 0
  const opened = () => {
    if (!parts) throw new Error("The server runs only while tests run.")
    return parts
  }
  const stranger: TestedTeam["stranger"] = async ({
    width = 1280,
    height = 800,
    dark = false,
    bypassCsp = false,
  } = {}) => {
    const { browser, server } = opened()
    const { url } = server
    const context = await browser.newContext({
      baseURL: url,
      bypassCSP: bypassCsp,
      colorScheme: dark ? "dark" : "light",
      extraHTTPHeaders: { "x-forwarded-for": `10.0.${Math.floor(people / 250)}.${(people++ % 250) + 1}` },
      reducedMotion: "reduce",
      viewport: { width, height },
    })
    context.setDefaultTimeout(wait)
    listen(context, asked, complaints)
    const ask = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await context.request.fetch(path, {
        method,
        headers: { origin: url },
        maxRetries: resets,
        ...(body ? { data: body } : {}),
      })
      if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
      return answer.status() === 204 ? (null as Answer) : ((await answer.json()) as Answer)
    }
    return {
      context,
      ask,
      async open(path) {
        const page = await context.newPage()
        onTestFinished(() => page.close())
        await page.goto(path)
        return page
      },
      share: (given) =>
        ask<TeamMemory>("POST", "/v1/memories", shared({ sourceMemory: `m-shared-${memories++}`, ...given })),
    }
  }
  const owner: TestedTeam["owner"] = async (look) => {
    const person = await stranger(look)
    await person.context.addCookies(opened().cookies)
    return person
  }
  const letIn = async (person: Person, link: string, name: string) => {
    await person.ask("POST", "/v1/sign-in/link", { token: new URL(link).hash.slice(1), name })
    return person
  }

  beforeAll(async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-team-ui-")))
    const server = await startTeam(folder)
    const args = ["--no-sandbox", "--disable-dev-shm-usage"]
    parts = { folder, server, browser: await chromium.launch({ executablePath, args }), cookies: [] }
    const first = await letIn(await stranger(), server.ownerLink, "Ada Lindqvist")
    parts.cookies = await first.context.cookies()
  }, 120_000)
  afterAll(async () => {
    if (!parts) return
    await parts.browser.close()
    await parts.server.stop()
    rmSync(parts.folder, { recursive: true, force: true })
  })
  afterEach(() => expect(complaints.splice(0)).toEqual([]))

  return {
    get url() {
      return opened().server.url
    },
    asked,
    stranger,
    owner,
    async member(name, role, teams = [], look) {
      const email = `${name.toLowerCase().replaceAll(" ", ".")}@lumen.example`
      const { link } = await (await owner()).ask<{ link: string }>("POST", "/v1/invitations", { email, role, teams })
      return letIn(await stranger(look), link, name)
    },
  }
}

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>
