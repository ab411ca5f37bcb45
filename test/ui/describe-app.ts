import { describe } from "vitest"
import { findChromium } from "../../scripts/chromium/find-chromium.ts"
import { testOwnServer } from "./journeys/test-own-server.ts"
import type { SampleSize } from "./sample/make-sample.ts"
import { type TestedApp, testedApp } from "./tested-app.ts"

const chromium = findChromium()
if (!chromium) console.warn("The browser app is not tested: there is no Chromium. DREY_CHROMIUM names one.")

/** Tests of the browser app in one file, which share a repository, a server and a browser. */
export function describeApp(size: SampleSize, addTests: (app: TestedApp, executablePath: string) => void): void {
  const name = `the browser app, with ${size.entries} further entries and ${size.memories} further memories`
  describe.skipIf(chromium === undefined)(name, () => {
    const executablePath = chromium ?? ""
    const app = testedApp(executablePath, size)
    addTests(app, executablePath)
    testOwnServer(app) // last: it looks at what all others have asked for
  })
}
