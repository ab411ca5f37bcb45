import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { soon } from "../soon.ts"
import type { TestedApp } from "../tested-app.ts"

const decisions = ".squad/decisions.md"

export function testDetail(app: TestedApp): void {
  const openItem = async (title: string, filter?: string): Promise<Page> => {
    const page = await app.open("/explorer?q=id%3Anone")
    await page.goto(`/items/${await app.idOf(page, title, filter)}`)
    await page.getByRole("heading", { level: 2, name: title }).waitFor()
    return page
  }

  test("an entry is edited in the file, and the toast takes it back to the byte", async () => {
    const page = await openItem("Logs are JSON lines on stdout")
    const before = app.read(decisions)
    await page.getByRole("button", { name: "Edit" }).click()
    const text = page.getByRole("textbox", { name: "Text, as Markdown" })
    await text.fill(`${await text.inputValue()}\n\nA line is **never** longer than 16 KB.`)
    await page.getByRole("button", { name: "Save" }).click()
    await page.locator("strong", { hasText: "never" }).waitFor()
    await soon(() => app.read(decisions)).toContain("A line is **never** longer than 16 KB.")
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await soon(() => app.read(decisions)).toBe(before)
    await soon(() => page.getByText("longer than 16 KB").count()).toBe(0)
  })

  test("an edit of what was changed meanwhile shows both versions and loses nothing", async () => {
    const page = await openItem("One colour for actions")
    await page.getByRole("button", { name: "Edit" }).click()
    const text = page.getByRole("textbox", { name: "Text, as Markdown" })
    await text.fill("Mine: blue is for links.")
    app.change(decisions, (whole) => whole.replace("Warnings are amber", "Theirs: warnings are orange"))
    const conflict = page.getByRole("alert", { name: "Changed meanwhile" })
    await conflict.waitFor()
    expect(await text.inputValue()).toBe("Mine: blue is for links.")
    await page.locator(".editor-theirs", { hasText: "Theirs: warnings are orange" }).waitFor()
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true)
    await page.reload()
    await conflict.waitFor()
    expect(await text.inputValue()).toBe("Mine: blue is for links.")
    await page.getByRole("button", { name: "Append theirs to mine" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await soon(() => app.read(decisions)).toMatch(/Mine: blue is for links\.[\s\S]*Theirs: warnings are orange/)
  })

  test("of two users who save the same entry, the second is notified and keeps their draft", async () => {
    const [one, other] = [await openItem("Bookings are never deleted"), await openItem("Bookings are never deleted")]
    for (const page of [one, other]) {
      await page.getByRole("button", { name: "Edit" }).click()
      await page.getByRole("textbox", { name: "Text, as Markdown" }).waitFor()
    }
    await one.getByRole("textbox", { name: "Text, as Markdown" }).fill("The first one's words.")
    await other.getByRole("textbox", { name: "Text, as Markdown" }).fill("The second one's words.")
    await one.getByRole("button", { name: "Save" }).click()
    await one.getByText("The first one's words.").first().waitFor()
    await other.getByRole("alert", { name: "Changed meanwhile" }).waitFor()
    expect(await other.getByRole("textbox", { name: "Text, as Markdown" }).inputValue()).toBe("The second one's words.")
    expect(app.read(decisions)).not.toContain("The second one's words.")
    await one.getByRole("button", { name: "Undo", exact: true }).click()
    await soon(() => app.read(decisions)).not.toContain("The first one's words.")
  })

  test("an entry is superseded by another, which shows the chain, and that can be undone", async () => {
    const page = await openItem("Deploy from main, several times a day")
    const before = app.read(decisions)
    await page.getByRole("button", { name: "Supersede" }).click()
    await page.getByRole("textbox", { name: "Title of the replacement" }).fill("Deploy from main, once a day")
    await page.getByRole("textbox", { name: "Text, as Markdown" }).fill("The deployment is at ten.")
    await page.getByRole("textbox", { name: "Why?" }).fill("Support could not follow.")
    await page.getByRole("button", { name: "Supersede" }).click()
    await page.getByRole("heading", { level: 2, name: "Deploy from main, once a day" }).waitFor()
    await page.getByRole("tab", { name: /^Chain/ }).click()
    const chain = page.getByRole("tabpanel", { name: /^Chain/ })
    await chain.getByRole("link", { name: "Deploy from main, several times a day" }).waitFor()
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await page.getByRole("heading", { level: 2, name: "Deploy from main, several times a day" }).waitFor()
    await soon(() => app.read(decisions)).toBe(before)
  })

  test("a superseded entry first shows its successor, and the chain leads on", async () => {
    const page = await openItem("Keep sessions in Redis")
    await page.getByText("Replaced by").getByRole("link", { name: "Keep sessions in Postgres" }).click()
    await page.getByRole("heading", { level: 2, name: "Keep sessions in Postgres" }).waitFor()
    await page.getByRole("tab", { name: /^Related/ }).click()
    await page.getByRole("list", { name: "Related items" }).getByText("Keep sessions in Redis").waitFor()
  })

  test("an entry is pinned and unpinned", async () => {
    const page = await openItem("Tests run against a real Postgres")
    const before = app.read(decisions)
    await page.getByRole("button", { name: "Pin", exact: true }).click()
    await page.getByRole("button", { name: "Unpin" }).waitFor()
    expect(app.read(decisions)).not.toBe(before)
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await page.getByRole("button", { name: "Pin", exact: true }).waitFor()
    expect(app.read(decisions)).toBe(before)
  })

  test("an entry is forgotten with a reason, is no longer found, and is restored", async () => {
    const title = "A flaky test is fixed or deleted within two days"
    const page = await openItem(title)
    await page.getByRole("button", { name: "Forget" }).click()
    await page.getByRole("textbox", { name: "Why?" }).fill("It is in the handbook now.")
    await page.getByRole("button", { name: "Forget it" }).click()
    await page.getByRole("heading", { level: 2, name: title }).waitFor({ state: "detached" })
    expect(app.read(decisions)).not.toContain(title)
    await page.getByRole("button", { name: "Undo", exact: true }).click()
    await page.getByRole("heading", { level: 2, name: title }).waitFor()
    expect(app.read(decisions)).toContain(title)
  })

  test("a learned memory shows the words that it was learned from, and what came of every use", async () => {
    const page = await openItem("This project uses pnpm in this repository, never npm.", "source:learned")
    await page.getByRole("tab", { name: /^Uses/ }).click()
    await soon(() => page.locator(".use-outcome").allTextContents()).toContain("hit")
    await page.getByRole("tab", { name: /^Evidence/ }).click()
    await page.getByText("no, we use pnpm in this repository, never npm").waitFor()
  })
}
