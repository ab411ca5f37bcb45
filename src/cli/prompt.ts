import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { forTerminal, writeError } from "./output.ts"

/** Asks a yes/no question; Enter alone means `usual`. Without a terminal the answer is no. */
export async function askYesNo(question: string, { usual = "no" }: { usual?: "yes" | "no" } = {}): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const text = forTerminal(`${question} ${usual === "yes" ? "[Y/n]" : "[y/N]"} `)
  const answer = await new Promise<string>((resolve) => {
    terminal.once("close", () => resolve("no")) // Ctrl-C and Ctrl-D answer too
    terminal.question(text).then(resolve, () => resolve("no"))
  })
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim() || usual)
}

/** Reads a secret without echoing it; without a terminal, reads stdin. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return readStdin()
  writeError(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  const secret = await terminal.question("")
  terminal.close()
  writeError("\n")
  return secret.trim()
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8").trim()
}
