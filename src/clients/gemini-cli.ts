import { join } from "node:path"
import type { Client, Machine } from "./client.ts"
import { findFiles } from "./find-files.ts"
import { readGeminiDocument } from "./gemini-document.ts"
import { geminiLines } from "./gemini-lines.ts"
import { readBeginning } from "./read-beginning.ts"
import { readLines } from "./read-lines.ts"

/**
 * Sessions are `tmp/<project>/chats/session-<time>-<id>.jsonl`, formerly a JSON document; sub-agents' files are in
 * their own folders.
 */
export const geminiCli: Client = {
  id: "gemini-cli",
  name: "Gemini CLI",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "gemini-cli", path })),
  recognises: (path, beginning) => /\.jsonl?$/.test(path) && isSession(beginning.slice(0, 4000)),
  read(transcript, from) {
    const isDocument = beginsDocument(readBeginning(transcript.path) ?? "")
    return isDocument ? readGeminiDocument(transcript, from) : readLines(transcript, from, geminiLines)
  },
}

function findSessions({ home }: Machine): string[] {
  return findFiles(join(home, ".gemini", "tmp"), 3, (name) => /^session-.{1,200}\.jsonl?$/.test(name))
}

function isSession(beginning: string): boolean {
  return /"sessionId"\s{0,9}:/.test(beginning) && /"projectHash"\s{0,9}:/.test(beginning)
}

/** A document contains its messages; a log has them after its first line. */
function beginsDocument(beginning: string): boolean {
  const [line = ""] = beginning.split("\n", 1)
  return line.trim() === "{" || (/"messages"\s{0,9}:\s{0,9}\[/.test(line) && !line.startsWith('{"$set"'))
}
