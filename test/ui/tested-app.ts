import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from "vitest"
import type { Items } from "../../src/recall/browse/app-api.ts"
import { type Look, resets, type Visit, visit } from "./browse.ts"
import { makeSample, type Sample, type SampleSize } from "./sample/make-sample.ts"
import { type RunningUi, startUi } from "./start-ui.ts"

/** The app of a sample repository, served and open in a browser for all tests of a file. */
export type TestedApp = {
  readonly sample: Sample
  readonly visit: Visit
  readonly ui: RunningUi
  /** Opens a page of the app for as long as the test runs. */
  open(path: string, look?: Look): Promise<Page>
  /** The id of the item with this title, among what the filter finds. */
  idOf(page: Page, title: string, filter?: string): Promise<string>
  /** A file of the repository. */
  read(path: string): string
  /** Changes a file of the repository as an editor does; it is put back when the test ends. */
  change(path: string, make: (text: string) => string): void
}

export function testedApp(executablePath: string, size: SampleSize): TestedApp {
  let parts: { folder: string; sample: Sample; ui: RunningUi; visit: Visit } | undefined
  const opened = () => {
    if (!parts) throw new Error("The app is open only while tests run.")
    return parts
  }
  beforeAll(async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-ui-")))
    const sample = await makeSample(folder, size)
    const ui = await startUi(sample)
    parts = { folder, sample, ui, visit: await visit(executablePath, ui.url) }
  }, 300_000)
  afterAll(async () => {
    if (!parts) return
    await parts.visit.close()
    await parts.ui.stop()
    rmSync(parts.folder, { recursive: true, force: true })
  })
  afterEach(() => expect(opened().visit.complaints.splice(0)).toEqual([]))

  const placeOf = (path: string) => join(opened().sample.root, path)
  return {
    get sample() {
      return opened().sample
    },
    get visit() {
      return opened().visit
    },
    get ui() {
      return opened().ui
    },
    async open(path, look) {
      const page = await opened().visit.open(path, look)
      onTestFinished(() => page.close())
      return page
    },
    async idOf(page, title, filter = "") {
      const params = { q: `"${title}" ${filter}`, limit: 20 }
      const { headers } = opened().visit
      const answer = await page.request.get("/api/items", { headers, params, maxRetries: resets })
      const { rows } = (await answer.json()) as Items
      const row = rows.find((each) => each.title === title)
      if (!row) throw new Error(`No item has the title ${title}`)
      return row.id
    },
    read: (path) => readFileSync(placeOf(path), "utf8"),
    change(path, make) {
      const before = readFileSync(placeOf(path), "utf8")
      writeFileSync(placeOf(path), make(before))
      onTestFinished(() => writeFileSync(placeOf(path), before))
    },
  }
}
