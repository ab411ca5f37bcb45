import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Drey, openDrey } from "../src/drey.ts"
import { parseQuery } from "../src/formats/query.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"

const decisions = ".squad/decisions.md"
const history = ".squad/agents/kane/history.md"

const decision = (title: string, second: number) => semEntry(`2026-01-05T09:00:0${second}Z`, "decision", title)

const task = "Which port does the proxy of the login page use?"
const parsed = parseQuery("proxy port login")
if (parsed.kind !== "query") throw new Error("Words are a query.")
const { query } = parsed

/** What an agent and a user are shown, without what differs from call to call. */
async function shownBy(drey: Drey): Promise<string> {
  const { context } = await drey.context.build({ agent: "kane", task, isLook: true })
  const { hits } = await drey.search.items({ query })
  return `${context.text.replace(/t-[0-9a-f]{12}/g, "")}\n${JSON.stringify([context.included, hits])}`
}

test("a process that keeps what it read answers as a new one does, whatever others change meanwhile", async () => {
  const root = makeRepository({
    [decisions]: `# Decisions\n\n${decision("The proxy listens on port 8080", 1)}\n${decision("The login page has a proxy of its own", 2)}`,
    [history]: `# Kane\n\n## Learnings\n\n- The proxy was slow\n`,
    ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| kane | Developer |\n",
  })
  const options = { root, environment: { DREY_HOME: makeRepository({}) }, warn: () => {} }
  const kept = openDrey(options)
  const path = join(root, decisions)
  const edit = (change: (text: string) => string) => writeFileSync(path, change(readFileSync(path, "utf8")))
  const other = async (act: (drey: Drey) => Promise<unknown>) => {
    const drey = openDrey(options)
    await act(drey)
    await drey.close()
  }
  const steps: Record<string, () => unknown> = {
    "nothing changed": () => undefined,
    "an entry was added": () => edit((text) => `${text}\n${decision("The login page listens on port 9090", 3)}`),
    "an entry was reworded": () => edit((text) => text.replace("port 8080", "port 8181")),
    "an entry was replaced": () =>
      edit(
        (text) =>
          `${text}\n${semEntry("2026-02-05T09:00:04Z", "decision", "The proxy listens on port 7070", { fields: ["**supersedes:** 2026-01-05T09:00:01Z"] })}`,
      ),
    "another process wrote an entry": () =>
      other((drey) =>
        drey.governed.write({ content: "The proxy retries the login twice", author: "kane", class: "LOCAL" }),
      ),
    "another process rebuilt the index": () => other((drey) => drey.search.reindex()),
    "an entry was removed": () =>
      edit((text) => text.replace(decision("The login page has a proxy of its own", 2), "")),
    "a file was removed": () => rmSync(join(root, history)),
  }
  const seen = new Set<string>()
  for (const [step, act] of Object.entries(steps)) {
    await act()
    const shown = await shownBy(kept)
    expect(await shownBy(kept), step).toBe(shown)
    await other(async (drey) => expect(await shownBy(drey), step).toBe(shown))
    seen.add(shown)
  }
  expect(seen.size).toBeGreaterThanOrEqual(6) // the changes were seen at all
  await kept.close()
})
