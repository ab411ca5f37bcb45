import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openStaticEmbedder } from "../../src/index/embedders/static-embedder.ts"
import { sqliteIndex } from "../../src/index/sqlite-index.ts"
import { syncPast } from "../../src/recall/sync/past-index.ts"

/** How long a history takes to index, and to find unchanged (goal: 50 ms), and how large its index is. */
export async function printHistory(commits: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "drey-bench-history-"))
  const table = openStaticEmbedder()
  if (table.kind === "unavailable") throw new Error(table.reason)
  const { id, embedNow } = table.embedder
  const path = join(root, "past.db")
  const index = await sqliteIndex(path, { embedder: { id, embed: (texts) => texts.map(embedNow) } })
  const repository = join(root, "repository")
  try {
    makeHistory(repository, commits)
    const sync = async () => {
      const started = performance.now()
      await syncPast(index, { root: repository, conversations: undefined })
      return performance.now() - started
    }
    const first = await sync()
    const again = []
    while (again.length < 11) again.push(await sync())
    again.sort((one, other) => one - other)
    console.log(
      `\n### ${commits} commits: indexed in ${(first / 1000).toFixed(1)} s, ${(statSync(path).size / 1e6).toFixed(0)} MB on disk; unchanged in ${again[5]?.toFixed(0)} ms (median), ${again[10]?.toFixed(0)} ms at most`,
    )
  } finally {
    await index.close()
    rmSync(root, { recursive: true, force: true })
  }
}

const words = "cache login retry export queue index token parser render schema batch stream policy merge upload".split(
  " ",
)

function makeHistory(root: string, commits: number): void {
  mkdirSync(root)
  execFileSync("git", ["-C", root, "init", "-q", "-b", "main"])
  const word = (at: number) => words[at % words.length] ?? ""
  const stream = Array.from({ length: commits }, (_, at) => {
    const message = `fix(${word(at)}): ${word(at * 7 + 3)} no longer drops the ${word(at * 3 + 1)} number ${at}\n\nIt did when the ${word(at * 5)} was empty.`
    const file = `src/${word(at)}/${word(Math.floor(at / 15))}_${at % 97}.ts`
    return `commit refs/heads/main\ncommitter Dev <dev@example.com> ${1_600_000_000 + at * 600} +0000\ndata ${message.length}\n${message}\nM 100644 inline ${file}\ndata ${String(at).length}\n${at}\n`
  })
  execFileSync("git", ["-C", root, "fast-import", "--quiet"], { input: stream.join("\n") })
}
