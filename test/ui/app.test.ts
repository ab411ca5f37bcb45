import { describe, expect, test } from "vitest"
import { findChromium } from "../../scripts/chromium/find-chromium.ts"
import { testKeyboard } from "./journeys/test-keyboard.ts"
import { testLive } from "./journeys/test-live.ts"
import { testLooks } from "./journeys/test-looks.ts"
import { testContext } from "./pages/test-context.ts"
import { testDetail } from "./pages/test-detail.ts"
import { testExplorer } from "./pages/test-explorer.ts"
import { testInbox } from "./pages/test-inbox.ts"
import { testOthers } from "./pages/test-others.ts"
import { testOverview } from "./pages/test-overview.ts"
import { testTimeline } from "./pages/test-timeline.ts"
import { testedApp } from "./tested-app.ts"

const chromium = findChromium()
if (!chromium) console.warn("The browser app is not tested: there is no Chromium. DREY_CHROMIUM names one.")

// One file, so that the large repository is made once.
describe.skipIf(chromium === undefined)("the browser app, with 2,000 entries and 10,000 memories", () => {
  const executablePath = chromium ?? ""
  const app = testedApp(executablePath, { entries: 2_000, memories: 10_000 })
  testOverview(app)
  testTimeline(app)
  testExplorer(app)
  testDetail(app)
  testInbox(app)
  testContext(app)
  testOthers(app)
  testLive(app, executablePath)
  testKeyboard(app)
  testLooks(app)

  test("nothing was asked of anybody but the app's own server, and the policy says so to the browser", async () => {
    const { origin } = new URL(app.ui.url)
    expect(app.visit.asked.length).toBeGreaterThan(100)
    expect(app.visit.asked.filter((address) => new URL(address).origin !== origin)).toEqual([])
    const page = await app.open("/")
    const answer = await page.request.get("/")
    expect(answer.headers()["content-security-policy"]?.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ])
  })
})
