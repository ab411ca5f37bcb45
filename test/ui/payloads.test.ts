import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Page } from "playwright-core"
import { expect, onTestFinished, test } from "vitest"
import { findChromium } from "../../scripts/chromium/find-chromium.ts"
import { openDrey } from "../../src/drey.ts"
import type { Items } from "../../src/recall/browse/app-api.ts"
import { goTo, resets, visit } from "./browse.ts"
import { payloads } from "./payloads.ts"
import type { Sample } from "./sample/make-sample.ts"
import { soon } from "./soon.ts"
import { startUi } from "./start-ui.ts"

const chromium = findChromium()

test.skipIf(chromium === undefined)(
  "markup in entries, sessions and proposals is shown as text and never runs",
  async () => {
    expect(payloads).toHaveLength(30)
    const folder = mkdtempSync(join(tmpdir(), "drey-payloads-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const sample = await makeHostileSample(folder)
    const ui = await startUi(sample)
    onTestFinished(ui.stop)
    const { open, close, headers, asked, complaints } = await visit(chromium ?? "", ui.url)
    onTestFinished(close)
    const page = await open("/explorer")
    const answer = await page.request.get("/api/items?limit=300", { headers, maxRetries: resets })
    const { rows } = (await answer.json()) as Items
    expect(rows.length).toBeGreaterThan(60)

    for (const path of [
      "/",
      "/timeline",
      "/agents",
      "/audit",
      "/health?level=all",
      "/context?task=click%20the%20picture",
    ])
      await goTo(page, path)
    await goTo(page, "/explorer?q=script")
    await page.getByRole("option").first().waitFor()
    for (const { id, title } of rows) {
      await goTo(page, `/items/${encodeURIComponent(id)}`)
      await soon(() => page.locator("h2").first().textContent()).toContain(withoutTicks(title).slice(0, 20))
      await clickLinks(page)
    }
    await goTo(
      page,
      `/items/${encodeURIComponent(rows.find(({ title, source }) => title === payloads[0] && source === "decisions")?.id ?? "")}`,
    )
    await page.locator(".markdown p", { hasText: `Text before ${payloads[0]} and after.` }).waitFor()
    for (const list of ["/inbox", "/sessions"]) {
      await goTo(page, list)
      await page.locator("nav [data-row]").first().waitFor()
      for (let steps = await page.locator("nav [data-row]").count(); steps > 0; steps--) {
        await page.keyboard.press("j")
        await clickLinks(page)
        for (const tab of await page.getByRole("tab").all()) await tab.click()
      }
    }
    expect(await page.evaluate("window.__hit")).toBeUndefined()
    expect(complaints).toEqual([])
    expect(asked.filter((address) => new URL(address).origin !== new URL(ui.url).origin)).toEqual([])
  },
  180_000,
)

/** Points at and clicks on whatever an entry's text has brought into the page. */
async function clickLinks(page: Page): Promise<void> {
  await page.evaluate(`for (const element of document.querySelectorAll(".markdown, .markdown *")) {
    element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }))
    if (!element.href?.startsWith("http")) element.click?.()
  }`)
}

function withoutTicks(title: string): string {
  return title.replaceAll("`", "")
}

async function makeHostileSample(folder: string): Promise<Sample> {
  const [root, home] = [join(folder, "repository"), join(folder, "home")]
  const files: Record<string, string> = {
    ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Kane | <b onclick=window.__hit=1>Lead</b> |\n",
  }
  files[".squad/decisions.md"] =
    `# Decisions\n\n${payloads.map((payload, at) => entryOf(payload, at, payload)).join("\n---\n\n")}`
  for (const [at, payload] of payloads.entries())
    files[`.squad/decisions/inbox/p${at}.md`] = entryOf(`Proposal ${at} ${payload}`, at, payload)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  const drey = openDrey({ root, environment: env, warn: () => {} })
  const session = await drey.sessions.start({ task: payloads[0] ?? "", agent: "kane" })
  for (const payload of payloads) {
    await session.addDiscovery("kane", { type: "code_pattern", content: payload })
    const { attempt } = await session.startAttempt("kane", {
      description: payload,
      approach: payload,
      commands: [payload],
    })
    await session.finishAttempt(attempt.id, { result: "failure", error: payload, lessons: payload }, { agent: "kane" })
    await session.addDecision("kane", { type: "implementation", description: payload, reasoning: payload })
  }
  await drey.close()
  return { root, env }
}

/** The payload wherever an entry has words. */
function entryOf(title: string, number: number, payload: string): string {
  const time = new Date(Date.UTC(2026, 1, 1 + (number % 28), 9, number)).toISOString().replace(".000Z", "Z")
  return `### ${time}: decision: ${title}
**Author:** ${payload}
**Tags:** ${payload.replaceAll(",", " ")}

${payload}

Text before ${payload} and after.

**Rationale:** ${payload}
`
}
