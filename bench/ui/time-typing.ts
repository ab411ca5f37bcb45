import type { Page } from "playwright-core"

const quietMs = 300

/** Types queries into the Explorer and measures for every key how long it took until the results were painted, in milliseconds. */
export async function timeTyping(page: Page, queries: readonly string[]): Promise<number[]> {
  await page.goto("/explorer")
  await page.getByText(/^[\d,]+ items$/).waitFor()
  await page.evaluate(watch)
  for (const query of queries) {
    await page.getByRole("combobox", { name: "Query" }).fill("")
    await page.waitForTimeout(quietMs)
    for (const letter of query) {
      await page.keyboard.press(letter === " " ? "Space" : letter)
      await page.waitForTimeout(quietMs)
    }
  }
  return page.evaluate<number[]>(
    "keys.flatMap(({ pressed, painted }) => painted === undefined ? [] : painted - pressed)",
  )
}

/** A message that is sent in a frame arrives when that frame is painted. A key that changes nothing in the list paints nothing. */
const watch = `
  globalThis.keys = []
  addEventListener("keydown", ({ timeStamp }) => keys.push({ pressed: timeStamp }), true)
  new MutationObserver(() => {
    const key = keys.at(-1)
    if (!key) return
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => { key.painted = performance.now() }
      port2.postMessage(null)
    })
  }).observe(document.querySelector("[role=listbox][aria-label=Results]"), { subtree: true, childList: true, characterData: true })
`
