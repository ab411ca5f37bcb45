import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import type { Member } from "../../../src/server/api.ts"
import { soon } from "../soon.ts"
import type { Person, TestedTeam } from "./tested-team.ts"

export function testAdmin(team: TestedTeam): void {
  test("a member is invited, and the link is shown only once", async () => {
    const page = await (await team.owner()).open("/admin?tab=invitations")
    await page.getByRole("button", { name: "Invite a member" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("E-mail").fill("carl@lumen.example")
    await dialog.getByLabel("Role").selectOption("viewer")
    await dialog.getByRole("button", { name: "Create link" }).click()
    const link = await dialog.getByLabel("Link").inputValue()
    expect(link).toMatch(new RegExp(`^${team.url}/join#drey_link_lumen_`))
    await dialog.getByRole("button", { name: "Done" }).click()
    const row = page.getByRole("row", { name: /carl@lumen\.example/ })
    await row.waitFor()
    expect(await page.content()).not.toContain("drey_link_")
    const guest = await (await team.stranger()).open(link)
    await guest.getByText("You join as a viewer").waitFor()
    await row.getByRole("button", { name: /Withdraw/ }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click()
    await page.getByText("No open invitations.").waitFor()
    await guest.reload()
    await guest.getByRole("alert").waitFor()
  })

  test("a role is changed, and the change undone", async () => {
    const owner = await team.owner()
    await team.member("Rolf Ruiz", "viewer")
    const page = await owner.open("/admin")
    const role = page.getByLabel("Role of Rolf Ruiz")
    await role.selectOption("admin")
    await toast(page, "Rolf Ruiz is admin now")
    expect((await memberNamed(owner, "Rolf Ruiz"))?.role).toBe("admin")
    await page.getByRole("button", { name: "Undo" }).click()
    await toast(page, "Undone")
    expect((await memberNamed(owner, "Rolf Ruiz"))?.role).toBe("viewer")
    await soon(() => role.inputValue()).toBe("viewer")
  })

  test("the last owner cannot be changed or removed", async () => {
    const page = await (await team.owner()).open("/admin")
    const own = page.getByRole("row", { name: /Ada Lindqvist/ })
    await own.waitFor()
    expect(await own.getByRole("combobox").count()).toBe(0)
    expect(await own.getByRole("button").count()).toBe(0)
  })

  test("a member is removed once that was confirmed", async () => {
    const owner = await team.owner()
    await team.member("Petra Pohl", "member")
    const page = await owner.open("/admin")
    await page.getByRole("button", { name: "Remove Petra Pohl" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
    expect(await memberNamed(owner, "Petra Pohl")).toBeDefined()
    await page.getByRole("button", { name: "Remove Petra Pohl" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
    await toast(page, "Petra Pohl was removed")
    expect(await memberNamed(owner, "Petra Pohl")).toBeUndefined()
  })

  test("a team is made, people are put into it and taken out", async () => {
    const owner = await team.owner()
    await team.member("Tom Tan", "member")
    const page = await owner.open("/admin?tab=teams")
    await page.getByLabel("New team").fill("Freight")
    await page.keyboard.press("Enter")
    await toast(page, "Created the team Freight")
    await page.getByLabel("Add a member to Freight").selectOption({ label: "Tom Tan" })
    const inside = page.getByRole("list", { name: "Members of Freight" })
    await inside.getByText("Tom Tan").waitFor()
    expect((await memberNamed(owner, "Tom Tan"))?.teams).toHaveLength(1)
    await page.getByRole("button", { name: "Remove Tom Tan from Freight" }).click()
    await toast(page, "Tom Tan is no longer in Freight")
    await page.getByLabel("New team").fill("freight")
    await page.keyboard.press("Enter")
    await page.getByText("A team with this name already exists.").waitFor()
  })

  test("a token is shown this once, works, and is revoked", async () => {
    const person = await team.member("Kit Kahn", "member")
    const page = await person.open("/admin?tab=tokens")
    await page.getByText("No tokens yet.").waitFor()
    await page.getByRole("button", { name: "New token" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("kit-laptop")
    expect(await dialog.getByLabel("Manage the organisation").count()).toBe(0)
    await dialog.getByRole("button", { name: "Create token" }).click()
    const secret = await dialog.getByLabel("Token").inputValue()
    await dialog.getByRole("button", { name: "Done" }).click()
    const me = () => fetch(`${team.url}/v1/me`, { headers: { authorization: `Bearer ${secret}` } })
    expect((await me()).status).toBe(200)
    await page.getByRole("button", { name: "Revoke the token kit-laptop" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
    await toast(page, "The token kit-laptop was revoked")
    expect((await me()).status).toBe(401)
  })

  test("a project agrees to episodes, and takes it back", async () => {
    const owner = await team.owner()
    await owner.share({ project: "github.com/lumen/quay", text: "The quay tests need a fixed clock" })
    const page = await owner.open("/admin?tab=projects")
    const agreed = page.getByLabel("Accept episodes of github.com/lumen/quay")
    await agreed.click()
    await toast(page, "Enabled episodes for github.com/lumen/quay")
    await soon(() => agreed.isChecked()).toBe(true)
    await page.getByRole("button", { name: "Undo" }).click()
    await soon(() => agreed.isChecked()).toBe(false)
  })

  test("everything that was done is on record, and all of the memory can be downloaded", async () => {
    const owner = await team.owner()
    await owner.share({ text: "Barges are weighed twice", project: "github.com/lumen/quay" })
    const page = await owner.open("/admin?tab=audit")
    await page.getByRole("rowheader", { name: "memory shared" }).first().waitFor()
    await page.getByRole("tab", { name: "Organisation" }).click()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download the export" }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^lumen.*\.ndjson$/)
    const lines = (await streamText(await download.createReadStream())).trimEnd().split("\n")
    expect(lines.some((line) => line.includes("Barges are weighed twice"))).toBe(true)
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ end: true })
  })

  test("members and viewers are offered nothing that they may not do", async () => {
    for (const role of ["member", "viewer"] as const) {
      const page = await (await team.member(`Only ${role}`, role)).open("/admin?tab=organisation")
      await page.getByRole("row", { name: /Ada Lindqvist/ }).waitFor()
      expect(await page.getByRole("tab").allInnerTexts()).toEqual(["Members", "Tokens"])
      expect(await page.getByRole("tabpanel").getByRole("button").count()).toBe(0)
      expect(await page.getByRole("tabpanel").getByRole("combobox").count()).toBe(0)
    }
  })
}

/** At the end of all, for nothing is left of the organisation. */
export function testEnd(team: TestedTeam): void {
  test("the organisation is renamed, and deleted after typing its short name", async () => {
    const page = await (await team.owner()).open("/admin?tab=organisation")
    await page.getByLabel("Name", { exact: true }).fill("Lumen Logistics")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Lumen Logistics" }).waitFor()
    await page.getByRole("button", { name: "Delete Lumen Logistics" }).click()
    const dialog = page.getByRole("dialog")
    const last = dialog.getByRole("button", { name: "Delete permanently" })
    await dialog.getByLabel("Type lumen to confirm").fill("Lumen")
    expect(await last.getAttribute("aria-disabled")).toBe("true")
    await page.keyboard.press("Enter")
    await dialog.getByLabel("Type lumen to confirm").fill("lumen")
    await last.click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await toast(page, "Lumen Logistics was deleted")
  })
}

async function toast(page: Page, text: string): Promise<void> {
  await page.locator(".toast-text", { hasText: text }).waitFor()
}

async function memberNamed(person: Person, name: string): Promise<Member | undefined> {
  const { members } = await person.ask<{ members: Member[] }>("GET", "/v1/members")
  return members.find((member) => member.name === name)
}

async function streamText(stream: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces).toString("utf8")
}
