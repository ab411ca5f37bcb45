import { expect, test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedTeam } from "./tested-team.ts"

export function testJoining(team: TestedTeam): void {
  test("who opens an invitation sees where it leads, gives a name, and is in; the link works once", async () => {
    const owner = await team.owner()
    const invitation = { email: "bea@lumen.example", role: "member" }
    const { link } = await owner.ask<{ link: string }>("POST", "/v1/invitations", invitation)
    const page = await (await team.stranger()).open(link)
    await page.getByRole("heading", { name: "Join lumen" }).waitFor()
    await page.getByText("You join as a member (bea@lumen.example).").waitFor()
    await page.getByLabel("Your name").fill("Bea Okafor")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    expect(new URL(page.url()).href).toBe(`${team.url}/`)
    await page.getByText("Bea Okafor").waitFor()
    const late = await (await team.stranger()).open(link)
    await late.getByRole("alert").waitFor()
    expect(await late.getByRole("alert").textContent()).toMatch(/no longer valid|used|expired/i)
  })

  test("a truncated link is reported", async () => {
    const page = await (await team.stranger()).open("/join")
    await page.getByText("This link is incomplete.").waitFor()
  })

  test("who is signed out signs in with a token, and comes back to the page they wanted", async () => {
    const person = await team.member("Token Tess", "member")
    const { secret } = await person.ask<{ secret: string }>("POST", "/v1/tokens", { name: "laptop", scopes: ["read"] })
    const page = await (await team.stranger()).open("/explorer?q=type%3Aguard")
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    const field = page.getByLabel("Personal access token")
    await field.fill("drey_pat_wrong")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByText("This token is not valid.").waitFor()
    expect(await field.getAttribute("aria-invalid")).toBe("true")
    await field.fill(secret)
    await page.keyboard.press("Enter")
    await soon(() => page.getByRole("combobox", { name: "Query" }).inputValue()).toBe("type:guard")
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.goto("/")
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  })

  test("an organisation without single sign-on offers sign-in with a token", async () => {
    const page = await (await team.stranger()).open("/sign-in")
    await page.getByLabel("Organisation").fill("lumen")
    await page.getByText("Only sign-in with a token is available.").waitFor()
  })

  test("a member who is removed while the app is open is notified, and the page stays", async () => {
    const person = await team.member("Gone Gus", "member")
    const page = await person.open("/explorer")
    await page.getByRole("heading", { name: "Explorer" }).waitFor()
    const { member } = await person.ask<{ member: { id: string } }>("GET", "/v1/me")
    await (await team.owner()).ask("DELETE", `/v1/members/${member.id}`)
    await page.getByText("You are signed out.").waitFor()
    await page.getByRole("link", { name: "Sign in again" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  })

  test("no secret is ever in an address", () => {
    expect(team.asked.length).toBeGreaterThan(50)
    expect(team.asked.filter((address) => /drey_(?:link|pat|in)_/.test(address.split("#")[0] ?? ""))).toEqual([])
    expect(team.asked.filter((address) => new URL(address).origin !== team.url)).toEqual([])
  })
}
