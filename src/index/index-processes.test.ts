import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { bundleChild, startChild } from "../../test/start-child.ts"
import { openDatabase } from "../disk/sqlite.ts"
import { sqliteIndex } from "./sqlite-index.ts"
import { newIndexPath } from "./test-index-path.ts"
import { testEmbedder } from "./test-items.ts"

/**
 * Writers report each version of their origin once it is in the index; readers search for written versions until they
 * are told to end.
 */
const child = `
import { createInterface } from "node:readline"
import { sqliteIndex } from "../index/sqlite-index.ts"
import { testEmbedder, testItem } from "../index/test-items.ts"
const [path, role, name, count] = process.argv.slice(2)
const index = await sqliteIndex(path, { embedder: testEmbedder })
const items = (version) => Array.from({ length: 30 }, (_, number) =>
  testItem(\`\${name}-\${number}\`, { text: number % 3 === version % 3 ? \`moss version\${version} \${name}\` : \`moss lasting \${name}\` }))
const vectors = [{ model: "static", vector: testEmbedder.embed(["moss lasting"])[0] }]
for (let version = 1; version <= Number(count); version++) {
  if (role === "write") {
    await index.update([{ key: name, stamp: String(version), items: items(version) }])
    const { candidates } = await index.find({ text: \`version\${version} \${name}\`, vectors, filter: {}, limit: 60, now: 0 })
    const own = candidates.filter(({ origin, coverage }) => origin === name && coverage > 0.99)
    if (own.length !== 10) throw new Error(\`found \${own.length} of version \${version}\`)
    process.stdout.write(\`\${version}\\n\`)
  } else {
    const { candidates } = await index.find({ text: "moss", vectors, filter: {}, limit: 200, now: 0 })
    const origins = await index.origins()
    const counts = new Map()
    for (const { origin } of candidates) counts.set(origin, (counts.get(origin) ?? 0) + 1)
    for (const [origin, found] of counts) if (found !== 30) throw new Error(\`half an update of \${origin}: \${found}\`)
    for (const origin of counts.keys()) if (!origins.has(origin)) throw new Error("an answer from the future")
  }
}
process.stdout.write("done\\n")
`

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "drey-index-child-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return bundleChild(folder, child)
}

function requireSound(path: string): void {
  const database = openDatabase(path)
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }])
  database.exec("INSERT INTO words (words) VALUES ('integrity-check')")
  database.close()
}

test("twelve processes read while four write: none fails, none sees half an update, and each finds what it wrote", async () => {
  const path = newIndexPath()
  const script = await bundle()
  const writers = ["a", "b", "c", "d"].map((name) => startChild(script, path, "write", name, "12"))
  const readers = Array.from({ length: 12 }, (_, number) => startChild(script, path, "read", String(number), "25"))
  for (const process of [...writers, ...readers]) expect(await process.ended, process.errors()).toBe(0)
  requireSound(path)
})

test("a writer killed during an update leaves the index as before or after it", async () => {
  const path = newIndexPath()
  const script = await bundle()
  const kills = Number(process.env.DREY_KILLS ?? 6)
  for (let kill = 0; kill < kills; kill++) {
    const writer = startChild(script, path, "write", "a", "100000")
    let acknowledged = 0
    for (let seen = 0; seen <= kill % 4; seen++) acknowledged = Number(await writer.nextLine())
    await new Promise((resolve) => setTimeout(resolve, (kill * 7) % 23)) // anywhere within one of its next updates
    writer.process.kill("SIGKILL")
    await writer.ended

    requireSound(path)
    const index = await sqliteIndex(path, { embedder: testEmbedder })
    expect(index.wasSetAside).toBeUndefined()
    const version = Number((await index.origins()).get("a"))
    expect(version).toBeGreaterThanOrEqual(kill === 0 ? acknowledged : 1)
    const { candidates } = await index.find({ text: `version${version}`, vectors: [], filter: {}, limit: 60, now: 0 })
    expect(candidates).toHaveLength(10)
    expect(await index.select({}, { now: 0 })).toHaveLength(30)
    const before = await index.dump()
    const items = (await index.select({}, { now: 0 })).sort((one, other) => one.position - other.position)
    await index.rebuild([{ key: "a", stamp: String(version), items }])
    expect(await index.dump()).toEqual(before)
    await index.close()
  }
})
