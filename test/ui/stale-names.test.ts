import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { findChromium } from "../../scripts/chromium/find-chromium.ts"
import { makeFolder, source } from "../../src/memories/staleness/test-repository.ts"
import { makeMailRepository } from "../mail-repository.ts"
import { trustForTest } from "../trust-for-test.ts"
import { visit } from "./browse.ts"
import { soon } from "./soon.ts"
import { startUi } from "./start-ui.ts"

const chromium = findChromium()

describe.skipIf(chromium === undefined)("the page of an item (needs Chromium)", () => {
  test("shows what became of the files, commands and symbols that the item names", async () => {
    const { root, write } = makeMailRepository()
    const home = makeFolder()
    const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
    trustForTest(env.DREY_HOME, root)
    const ui = await startUi({ root, env })
    onTestFinished(() => ui.stop())
    const browser = await visit(chromium ?? "", ui.url)
    onTestFinished(() => browser.close())
    const page = await browser.open("/explorer?q=pauses")
    await page.getByRole("option", { name: "Retry mails with growing pauses" }).click()
    const names = page.getByRole("region", { name: "It refers to things that have changed since it was written:" })
    await names.getByText("moved to src/mail/retry.ts on 2026-02-14").waitFor()
    expect(await names.getByRole("listitem").count()).toBe(4)
    await names.getByRole("img", { name: "Moved" }).waitFor()
    write({ "src/mail/limits.ts": source("limit") })
    await page.reload()
    await soon(() => names.getByRole("listitem").count()).toBe(3)
    await page.goto("/explorer?q=alone")
    await page.getByRole("option", { name: "Mails are sent by the queue alone" }).click()
    await page.getByText("See src/mail/send.ts").waitFor()
    expect(await names.count()).toBe(0)
    expect(browser.complaints).toEqual([])
  })
})
