import { expect, test } from "vitest"
import type { TeamSummary } from "../../../src/server/api.ts"
import { soon } from "../soon.ts"
import type { TestedTeam } from "./tested-team.ts"

const project = "github.com/lumen/ferry"

export function testMemories(team: TestedTeam): void {
  test("until something is shared, the overview shows how to begin", async () => {
    const page = await (await team.owner()).open("/")
    await page.getByText(`drey team login ${team.url}`).waitFor()
  })

  test("a memory is found, shows who shared it with whom, and leads to the others of its project", async () => {
    const owner = await team.owner()
    const { id } = await owner.ask<TeamSummary>("POST", "/v1/teams", { name: "Payments" })
    const kim = await team.member("Kim Adler", "member", [id])
    const text = "Never run pnpm dedupe in ferry: it breaks the lock file"
    await kim.share({ text, project, kind: "guard", polarity: -1, team: id })
    await owner.share({ text: "Migrations of ferry are applied by the deploy job", project })
    const page = await kim.open("/explorer")
    await page.getByRole("combobox", { name: "Query" }).fill("dedupe")
    await page.getByRole("option", { name: /pnpm dedupe/ }).click()
    const detail = page.getByRole("region", { name: "Item" })
    await detail.getByRole("heading", { name: text }).waitFor()
    await detail.getByRole("tab", { name: "Metadata" }).click()
    await detail.getByText("Kim Adler, team Payments").waitFor()
    await detail.getByRole("link", { name: project }).click()
    await page.getByRole("option", { name: /applied by the deploy job/ }).waitFor()
    await page.getByRole("link", { name: "Overview" }).click()
    await page.getByText("Learned memories").waitFor()
    expect(await page.getByText("Team entries").count()).toBe(0)
    expect(await page.getByText("Context cost per agent").count()).toBe(0)
    expect(await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts()).toEqual([
      "Overview",
      "Explorer",
      "Context",
      "Timeline",
      "Admin",
    ])
  })

  test("the member who shared a memory rewords it, sees that at once, and undoes it", async () => {
    const kim = await team.member("Wren Wolf", "member")
    const { id } = await kim.share({ text: "Refunds take three days", project })
    const page = await kim.open(`/items/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByLabel("Text, as Markdown").fill("Refunds take two days")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "Refunds take two days" }).waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByText("Undone").first().waitFor()
    const { row } = await kim.ask<{ row: { status: string } }>("GET", `/api/items/${id}`)
    expect(row.status).toBe("on trial")
  })

  test("what a member shared is on trial until an administrator confirms it, which can be undone", async () => {
    const kim = await team.member("Tess Trial", "member")
    const { id } = await kim.share({ text: "Gangways are lowered by two", project })
    const mine = await kim.open(`/items/${id}`)
    await mine.getByRole("button", { name: "Edit" }).waitFor()
    expect(await mine.getByRole("button", { name: "Confirm" }).count()).toBe(0)
    const page = await (await team.owner()).open(`/items/${id}`)
    const confirm = page.getByRole("button", { name: "Confirm" })
    const status = async () => (await kim.ask<{ row: { status: string } }>("GET", `/api/items/${id}`)).row.status
    await confirm.click()
    await page.getByText("Confirmed: it counts as proven").first().waitFor()
    await confirm.waitFor({ state: "detached" })
    expect(await status()).toBe("proven")
    await page.getByRole("button", { name: "Undo" }).click()
    await confirm.waitFor()
    expect(await status()).toBe("on trial")
  })

  test("changes by others show live, and no draft is lost", async () => {
    const kim = await team.member("Cody Clash", "member")
    const owner = await team.owner()
    const { id } = await kim.share({ text: "Tickets are checked at the gate", project })
    const page = await kim.open(`/items/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByLabel("Text, as Markdown").fill("Tickets are checked on board")
    await owner.ask("POST", `/api/items/${id}/pin`, { version: "1", pinned: true })
    await page.getByText("It was changed while you were editing.").waitFor()
    expect(await page.getByLabel("Text, as Markdown").inputValue()).toBe("Tickets are checked on board")
    await page.getByRole("button", { name: "Keep mine" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "Tickets are checked on board" }).waitFor()
  })

  test("a viewer can read, and sees why nothing can be changed", async () => {
    const owner = await team.owner()
    const { id } = await owner.share({ text: "Harbour fees are paid monthly", project })
    const page = await (await team.member("View Vale", "viewer")).open(`/items/${id}`)
    const edit = page.getByRole("button", { name: "Edit" })
    await edit.waitFor()
    expect(await edit.getAttribute("aria-disabled")).toBe("true")
    await edit.focus()
    await soon(() => page.getByRole("tooltip").textContent()).toContain("Viewers have read-only access.")
  })

  test("a preview shows what an agent of a project would be handed", async () => {
    const owner = await team.owner()
    await owner.share({ text: "Run the tide tables with tide --fixed", project: "github.com/lumen/tides" })
    const page = await owner.open("/context?project=github.com%2Flumen%2Ftides")
    await page.getByLabel("Task").fill("Run the tide tables")
    await page.getByText("tide --fixed").first().waitFor()
    expect(await page.getByLabel("Project").inputValue()).toBe("github.com/lumen/tides")
  })

  test("the timeline shows what was shared when", async () => {
    const page = await (await team.owner()).open("/timeline")
    await page.getByText("Growth").waitFor()
  })
}
