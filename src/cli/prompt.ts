import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { forTerminal, writeError } from "./output.ts"

/** Asks a yes/no question; Enter alone means `usual`. Without a terminal the answer is no. */
export async function askYesNo(question: string, { usual = "no" }: { usual?: "yes" | "no" } = {}): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const answer = await askLine(`${question} ${usual === "yes" ? "[Y/n]" : "[y/N]"} `, "no")
  return /^y(?:es)?$/i.test(answer || usual)
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

/** One line of text; `left` after Ctrl-C or Ctrl-D. */
export async function askLine(question: string, left = ""): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await new Promise<string>((resolve) => {
    terminal.once("close", () => resolve(left))
    terminal.question(forTerminal(question)).then(resolve, () => resolve(left))
  })
  terminal.close()
  return answer.trim()
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8").trim()
}
