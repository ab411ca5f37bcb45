import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { claudeSession } from "../../../test/claude-session.ts"
import type { makeWords } from "./make-words.ts"
import type { Resident } from "./residents.ts"
import type { Written } from "./soak-log.ts"
import type { SoakPlace } from "./soak-place.ts"

/** What came of one write; the words of `trouble` are the program's own. */
export type WriteResult =
  | { kind: "acknowledged"; where?: Written["in"] }
  | { kind: "killed" }
  | { kind: "trouble"; words: string }

export type Writer = { name: string; write(): Promise<WriteResult & { word: string }> }

type Words = ReturnType<typeof makeWords>

/** Ten that write at once, each in its own way. */
export function makeWriters(place: SoakPlace, words: Words, mcp: Resident, session: string): Writer[] {
  const byCommand = (name: string, where: Written["in"] | undefined, args: (sentence: string) => string[]): Writer => ({
    name,
    async write() {
      const { word, sentence } = words.next(name)
      const { code, stdout, stderr, wasKilled } = await place.run(name, [...args(sentence), "--json"])
      if (wasKilled) return { word, kind: "killed" }
      if (code !== 0) return { word, kind: "trouble", words: stderr || stdout }
      return { word, kind: "acknowledged", ...(where && { where }) }
    },
  })
  const memory = (name: string, memoryClass: string) =>
    byCommand(name, "governed", (text) => ["memory", "write", text, "--class", memoryClass, "--author", name])
  return [
    memory("kane", "LOCAL"),
    memory("rook", "LOCAL"),
    memory("wren", "POLICY"),
    byCommand("lambert", "entries", (text) => ["memory", "write", text, "--class", "DECISION", "--author", "lambert"]),
    dropInInbox(place, words, "parker"),
    byCommand("dallas", "session", (text) => [
      "session",
      "discover",
      text,
      "--session",
      session,
      "--type",
      "code_pattern",
      "--agent",
      "dallas",
    ]),
    byCommand("ash", "session", (text) => [
      "session",
      "decide",
      text,
      "--session",
      session,
      "--type",
      "architectural",
      "--reasoning",
      "It was measured",
      "--agent",
      "ash",
    ]),
    byCommand("ines", "entries", (text) => ["directive", `Always ${text}`, "--author", "Ines"]),
    learnFromWork(place, words, "brett"),
    writeByMcp(mcp, words, "jones"),
  ]
}

/** As agents do that know nothing of Drey: a file in the inbox, whole at once. */
function dropInInbox({ root, folder }: SoakPlace, words: Words, name: string): Writer {
  const inbox = join(root, ".squad", "decisions", "inbox")
  mkdirSync(inbox, { recursive: true })
  return {
    name,
    async write() {
      const { word, sentence } = words.next(name)
      const temporary = join(folder, `${word}.md`)
      const day = new Date().toISOString().slice(0, 10)
      writeFileSync(
        temporary,
        `### ${day}: ${sentence}\n**By:** ${name}\n**What:** ${sentence}.\n**Why:** It was measured.\n`,
      )
      renameSync(temporary, join(inbox, `${word}.md`))
      return { word, kind: "acknowledged", where: "entries" }
    },
  }
}

/** Work as a coding agent records it, taken in by `drey ingest` and by the watch at once; what must come of it is compared at the end. */
function learnFromWork({ root, home, run }: SoakPlace, words: Words, name: string): Writer {
  let started = 0
  return {
    name,
    async write() {
      const { word, sentence } = words.next(name)
      const start = new Date(Date.now() - 120_000).toISOString() // old work would be taken for done while it is still being written
      const id = `00000000-2222-4333-8444-${String(++started).padStart(12, "0")}`
      const session = claudeSession(home, { cwd: root, session: id, start })
      session.user(`Next: ${sentence}`)
      session.run("npm test", "1 failed", 1)
      session.edit("src/index.ts")
      session.run("npm test", "9 passed")
      session.user(`No, always ${sentence}`)
      session.assistant("Done.")
      const { code, stderr, wasKilled } = await run(name, ["ingest", session.path, "--json"])
      if (wasKilled) return { word, kind: "killed" }
      return code === 0 ? { word, kind: "acknowledged" } : { word, kind: "trouble", words: stderr }
    },
  }
}

function writeByMcp(mcp: Resident, words: Words, name: string): Writer {
  return {
    name,
    async write() {
      const { word, sentence } = words.next(name)
      const answer = await mcp.ask?.({
        name: "memory_write",
        arguments: { content: sentence, class: "LOCAL", author: name },
      })
      if (answer === undefined) return { word, kind: "killed" }
      return answer.isError
        ? { word, kind: "trouble", words: answer.text }
        : { word, kind: "acknowledged", where: "governed" }
    },
  }
}
