import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"

/** A question that a person answers with yes or no; where nobody can answer, it is no. */
export async function askYesNo(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim())
}

/** A secret, which is typed and not shown; where nobody can type, what comes on stdin. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return readStdin()
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  const secret = await terminal.question("")
  terminal.close()
  process.stderr.write("\n")
  return secret.trim()
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8").trim()
}
