import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Arm, Hit } from "./arm.ts"
import { wordsOf } from "./arm-fts5.ts"
import { best } from "./arm-minilm.ts"
import { wholeText } from "./data.ts"

/**
 * What an agent without a memory does: `grep -i -w -o` for the query's words of three letters and more over one file a
 * document. Ranked by how many different words a file holds, then by how often it holds any of them.
 */
export const grep: Arm = {
  name: "grep",
  kind: "simple",
  async open(store) {
    const folder = mkdtempSync(join(tmpdir(), "drey-bench-grep-"))
    mkdirSync(join(folder, "files"))
    store.documents.forEach((document, index) => {
      writeFileSync(join(folder, "files", String(index)), wholeText(document))
    })
    return {
      async search(query, limit) {
        const words = wordsOf(query).filter((word) => word.length >= 3)
        if (words.length === 0) return []
        const output = await runGrep(join(folder, "files"), words)
        const hits = [...countMatches(output)].map(([index, { different, all }]): Hit => {
          return { id: store.documents[index]?.id ?? "", score: different + all / (all + 1) }
        })
        return best(hits, limit)
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}

function runGrep(folder: string, words: string[]): Promise<string> {
  const patterns = words.flatMap((word) => ["-e", word])
  return new Promise((resolve, reject) => {
    execFile(
      "grep",
      ["-r", "-i", "-w", "-o", "-F", ...patterns, "."],
      { cwd: folder, maxBuffer: 2 ** 28 },
      (error, output) => {
        if (error && error.code !== 1)
          reject(error) // 1: grep found nothing
        else resolve(output)
      },
    )
  })
}

/** Lines such as `./17:word`, one for each match, by file. */
function countMatches(output: string): Map<number, { different: number; all: number }> {
  const words = new Map<number, Set<string>>()
  const counts = new Map<number, { different: number; all: number }>()
  for (const line of output.split("\n")) {
    const [, file, word] = /^\.\/(\d+):(.*)$/.exec(line) ?? []
    if (file === undefined || word === undefined) continue
    const index = Number(file)
    const seen = words.get(index) ?? new Set()
    words.set(index, seen.add(word.toLowerCase()))
    counts.set(index, { different: seen.size, all: (counts.get(index)?.all ?? 0) + 1 })
  }
  return counts
}
