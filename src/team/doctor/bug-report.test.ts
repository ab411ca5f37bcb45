import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { alnum } from "../../../test/canaries.ts"
import { makeRepository, writeFiles } from "../../../test/run-cli.ts"
import { openDrey } from "../../drey.ts"

const entry = (title: string, more = "") =>
  `### 2026-02-15T14:32:15+0000: decision: ${title}\n\n**type:** decision\n**timestamp:** 2026-02-15T14:32:15+0000\n**author:** Zebulon\n${more}\n**summary:** ${title} because of the walrus.\n\n---\n`

test("a bug report has versions, checks, settings, sizes and log lines", async () => {
  const { report } = await makeReport()
  expect(report.versions).toMatchObject({ drey: "1.2.3", node: process.versions.node, platform: process.platform })
  expect(report.checks.find(({ name }) => name === "team folder")).toMatchObject({ status: "pass" })
  expect(report.checks.some(({ status }) => status === "fail")).toBe(true)
  expect(report.config).toMatchObject({ recall: { promptBudget: 700 }, writer: { kind: "model", model: "set" } })
  expect(report.environment).toContain("DREY_WRITER_API_KEY")
  expect(report.sizes.home["config.json"]).toBeGreaterThan(10)
  expect(report.sizes.team).toMatchObject([{ name: ".squad", files: 3 }])
  expect(report.log.map(({ file, lines }) => [file, lines.length])).toEqual([
    ["hook.log", 200],
    ["log/drey.log", 1],
  ])
  expect(report.log[1]?.lines[0]).toMatch(/index open 1\.0ms path=fast file=…\/abc\.db root=…$/)
})

test("a bug report contains no text of entries, no secret, no address and no folder of the user", async () => {
  const { report, token, root } = await makeReport()
  const text = JSON.stringify(report)
  for (const word of ["walrus", "Zebulon", "zebulon", "harpoon", "kraken", "lighthouse", "ines@", "/srv/"])
    expect(text, word).not.toContain(word)
  expect(text).not.toContain(token)
  expect(text).not.toContain(root)
})

/** A folder on which many checks fail, each with something that must not be shown. */
async function makeReport() {
  const token = `ghp_${alnum(36)}`
  const root = makeRepository({
    ".squad/decisions.md": `# Squad Decisions\n\n${entry("Use the harpoon")}${entry("Sink the kraken", "**supersedes:** lighthouse-2\n")}### 2026: lighthouse: broken\n\n**type:** wish\n\n\`src/lighthouse.ts\` is gone\n`,
    ".squad/agents/zebulon/history.md": `# History\n\nThe token is ${token}, ask ines@lighthouse.example.net\n`,
    ".squad/config.json": "{ not json",
  })
  const home = makeRepository({})
  mkdirSync(join(home, "log"))
  const hookLines = Array.from({ length: 250 }, (_, at) => `2026-02-15T10:00:00Z claude-code Stop: ${at} "harpoon"`)
  writeFiles(home, {
    "config.json": JSON.stringify({
      recall: { promptBudget: 700 },
      writer: {
        kind: "model",
        provider: "openai",
        model: "kraken-1",
        baseUrl: `https://x:${token}@lighthouse.example`,
      },
    }),
    "hook.log": `${hookLines.join("\n")}\n2026-02-15T10:00:00Z codex Stop: bad key ${token} of ines@lighthouse.org in /srv/kraken/a.json\n`,
  })
  const line = "2026-02-15T10:00:00Z 7 index open 1.0ms path=fast file=/srv/kraken/abc.db root=/srv/lighthouse"
  writeFileSync(join(home, "log", "drey.log"), `${line}\n`)
  const environment = { HOME: home, DREY_HOME: home, DREY_USER: "zebulon", DREY_WRITER_API_KEY: token }
  writeFiles(root, { ".squad/config.json": '{ "drey": {} }' })
  const drey = openDrey({ root, environment, warn: () => {} })
  try {
    return { report: await drey.team.bugReport("1.2.3"), token, root }
  } finally {
    await drey.close()
  }
}
