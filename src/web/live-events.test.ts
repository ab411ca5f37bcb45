import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { get, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { LiveEvent } from "../recall/browse/app-api.ts"
import { keyHeader } from "./one-time-login.ts"
import { openTestWeb, teamFiles } from "./test-web.ts"

test("an entry that is added, changed or removed in a file is announced to every open page", async () => {
  const web = await openTestWeb()
  const pages = [await listen(web), await listen(web)]
  const path = join(web.root, ".squad/decisions.md")
  appendFileSync(
    path,
    "\n### 2026-03-09T09:00:00Z: note: Lamps hum\n**Author:** Rook\n**Scope:** team\n\nAll of them.\n",
  )
  for (const page of pages) {
    const event = await page.next("items")
    expect(event).toMatchObject({ changed: [{ change: "added" }] })
  }
  appendFileSync(path, "\nThe old ones too.\n")
  expect(await pages[0]?.next("items")).toMatchObject({ changed: [{ change: "changed" }] })
  rmSync(path)
  const removed = await pages[0]?.next("items")
  expect(removed?.kind === "items" && removed.changed.every(({ change }) => change === "removed")).toBe(true)
})

test("sessions and proposals have separate events", async () => {
  const web = await openTestWeb()
  const page = await listen(web)
  await web.drey.sessions.start({ task: "Mend the lamp", agent: "kane" })
  expect(await page.next("sessions")).toEqual({ kind: "sessions" })
  rmSync(join(web.root, ".squad/decisions/inbox/rook-retry.md"))
  expect(await page.next("inbox")).toEqual({ kind: "inbox" })
  writeFileSync(join(web.root, ".squad/decisions/inbox/empty.md"), "")
  expect(await page.next("inbox")).toEqual({ kind: "inbox" })
})

test("handing out a context is announced", async () => {
  const web = await openTestWeb()
  const page = await listen(web)
  await web.drey.context.build({ agent: "kane", task: "retry" })
  expect(await page.next("uses")).toEqual({ kind: "uses" })
})

test("pages that connect and disconnect leave nothing behind", async () => {
  const web = await openTestWeb()
  const warnings: Error[] = []
  const keep = (warning: Error) => void warnings.push(warning)
  process.on("warning", keep)
  onTestFinished(() => void process.off("warning", keep))
  for (let visit = 0; visit < 12; visit++) (await listen(web)).leave()
  const page = await listen(web)
  await web.drey.sessions.start({ task: "Mend the lamp", agent: "kane" })
  await page.next("sessions")
  expect(warnings).toEqual([])
})

test("the server stops while pages listen", async () => {
  const web = await openTestWeb(teamFiles)
  const page = await listen(web)
  await web.service.close()
  await page.ended
})

/** Listens as a page does, until the test ends. */
async function listen({ service, key }: { service: { port: number }; key: string }) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = get(
      { port: service.port, host: "127.0.0.1", path: "/api/events", headers: { [keyHeader]: key } },
      resolve,
    )
    sent.on("error", reject)
    onTestFinished(() => void sent.destroy())
  })
  expect(answer.headers["content-type"]).toBe("text/event-stream")
  const events: LiveEvent[] = []
  let wake = () => {}
  let isReady = () => {}
  const ready = new Promise<void>((resolve) => {
    isReady = resolve
  })
  const ended = new Promise<void>((resolve) => {
    answer.on("close", resolve)
  })
  answer.on("error", () => {})
  answer.setEncoding("utf8")
  answer.on("data", (text: string) => {
    if (text.includes(": listening")) isReady()
    for (const [, data = ""] of text.matchAll(/^data: (.*)$/gm)) events.push(JSON.parse(data))
    wake()
  })
  await ready
  return {
    ended,
    leave: () => void answer.destroy(),
    /** The next event of a kind; others are skipped. */
    async next<Kind extends LiveEvent["kind"]>(kind: Kind): Promise<LiveEvent> {
      for (;;) {
        const event = events.shift()
        if (event?.kind === kind) return event
        if (!event)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}
