import axe from "axe-core"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { goTo } from "../browse.ts"
import { overhangOfPage, seriousFindings } from "../journeys/look-at-page.ts"
import type { TestedTeam } from "./tested-team.ts"

/** Every page of a team's server, with something that shows that it is there. */
const pages = [
  { path: "/", shows: "Learned memories" },
  { path: "/explorer", shows: "Filters" },
  { path: "/timeline", shows: "Growth" },
  { path: "/context", shows: "Project" },
  { path: "/admin", shows: "ada@lumen.example" },
  { path: "/admin?tab=teams", shows: "New team" },
  { path: "/admin?tab=invitations", shows: "Invite a member" },
  { path: "/admin?tab=tokens", shows: "New token" },
  { path: "/admin?tab=projects", shows: "not accepted" },
  { path: "/admin?tab=audit", shows: "memory shared" },
  { path: "/admin?tab=organisation", shows: "Download the export" },
]

export function testTeamLooks(team: TestedTeam): void {
  const goThrough = async (page: Page, look: (path: string) => Promise<void>) => {
    for (const { path, shows } of pages) {
      await goTo(page, path)
      await page.getByText(shows).or(page.getByLabel(shows)).first().waitFor()
      await look(path)
    }
  }

  test.each([{ dark: false }, { dark: true }])("axe finds nothing serious (dark: $dark)", async ({ dark }) => {
    const look = { dark, bypassCsp: true }
    const found: string[] = []
    const check = (page: Page) => async (path: string) => {
      const serious = await page.evaluate<string[]>(seriousFindings)
      found.push(...serious.map((each) => `${path} ${each}`))
    }
    const inside = await (await team.owner(look)).open("/")
    await inside.evaluate(axe.source)
    await goThrough(inside, check(inside))
    await inside.getByRole("tab", { name: "Tokens" }).click()
    await inside.getByRole("button", { name: "New token" }).click()
    await inside.getByRole("dialog").waitFor()
    await check(inside)("a dialog")
    const outside = await (await team.stranger(look)).open("/sign-in")
    await outside.evaluate(axe.source)
    await outside.getByRole("heading", { name: "Sign in" }).waitFor()
    await check(outside)("/sign-in")
    expect(found).toEqual([])
  })

  test("no page scrolls sideways at 380 pixels, and the bar leads to all of them", async () => {
    const look = { width: 380, height: 800 }
    const page = await (await team.owner(look)).open("/")
    const wide: string[] = []
    await goThrough(page, async (path) => {
      if ((await page.evaluate<number>(overhangOfPage)) > 0) wide.push(path)
    })
    expect(wide).toEqual([])
    await page.getByRole("button", { name: "More" }).click()
    await page.getByRole("menuitem", { name: "Admin" }).click()
    await page.getByRole("heading", { name: "Admin" }).waitFor()
    await page.getByRole("button", { name: "More" }).click()
    await page.getByText("Ada Lindqvist, owner of lumen").waitFor()
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor()
    const outside = await (await team.stranger(look)).open("/sign-in")
    await outside.getByRole("heading", { name: "Sign in" }).waitFor()
    expect(await outside.evaluate<number>(overhangOfPage)).toBeLessThanOrEqual(0)
  })

  test("a token can be created with the keyboard only", async () => {
    const person = await team.member("Key Kay", "member")
    const page = await person.open("/admin")
    await page.getByRole("tab", { name: "Members" }).focus()
    await page.keyboard.press("ArrowRight")
    const add = page.getByRole("button", { name: "New token" })
    await add.focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("kay-desk")
    await page.keyboard.press("Enter")
    await page.getByLabel("Token", { exact: true }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("rowheader", { name: /kay-desk/ }).waitFor()
  })
}
