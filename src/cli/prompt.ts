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

/** Asks for numbers from 1 to `most`, or "all"; returns them counted from 0. Enter alone means none. */
export async function askChoice(question: string, most: number): Promise<number[]> {
  const answer = await askLine(`${question} [1-${most}, all, Enter for none] `)
  if (/^all$/i.test(answer)) return Array.from({ length: most }, (_, at) => at)
  return answer
    .split(/[\s,]+/)
    .map((word) => Number(word) - 1)
    .filter((at) => Number.isInteger(at) && at >= 0 && at < most)
}

/** Asks for one of these keys, without Enter; Ctrl-C and Ctrl-D mean the last one. */
export function askKey(question: string, keys: string): Promise<string> {
  const { stdin } = process
  const leave = keys.at(-1) ?? ""
  writeError(`${question} `)
  stdin.setRawMode(true)
  stdin.resume()
  return new Promise((resolve) => {
    const take = (typed: Buffer) => {
      // An arrow key is a sequence that ends with a letter; of several keys typed at once only the first counts.
      const pressed = [...typed.toString().replace(escapeSequence, "").toLowerCase()]
      const found = pressed.find((each) => each === "\u0003" || each === "\u0004" || keys.includes(each))
      if (found === undefined) return
      const key = keys.includes(found) ? found : leave
      stdin.off("data", take).setRawMode(false)
      stdin.pause()
      writeError(`${key}\n`)
      resolve(key)
    }
    stdin.on("data", take)
  })
}

const escapeSequence = /\u001b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?/g

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

/** What is piped in; empty at a terminal. */
export function readPiped(): Promise<string> {
  return process.stdin.isTTY ? Promise.resolve("") : readStdin()
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8").trim()
}
