import { spawn } from "node:child_process"
import { closeSync, openSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DreyError, exitCode } from "../../errors.ts"
import { colors } from "../colors.ts"
import { count } from "../print.ts"
import { wrapLines } from "./wrap-lines.ts"

/** One command of the demonstration: its line, how it ended, and all it printed. */
export type ShownCommand = { command: string; code: number; output: string }

/** How many of the lines that a command prints are shown: so many of the first and of the last; all when neither is given. */
export type Cut = { first?: number; last?: number }

/** Runs real commands in the sample's repository and shows each line with what it printed. */
export type Stage = {
  /** What is about to be seen, in lines of at most 80 columns. */
  say(heading: string, lines: readonly string[]): void
  drey(args: string[], cut?: Cut): Promise<ShownCommand>
  /** A program of the machine instead. */
  run(program: string, args: string[], cut?: Cut): Promise<ShownCommand>
  readonly shown: readonly ShownCommand[]
}

export type StageOptions = {
  folder: string
  root: string
  /** Drey itself, as the words before its arguments: Node and the script. */
  program: readonly [string, string]
  environment: NodeJS.ProcessEnv
  /** Where a line ends at the latest; undefined: nowhere. */
  width: number | undefined
  write(text: string): void
  signal: AbortSignal
}

export function openStage(options: StageOptions): Stage {
  const { width, write } = options
  const shown: ShownCommand[] = []
  const put = (text: string, paint = (words: string) => words) => write(`${paint(wrapLines(text, width))}\n`)
  const play = async (words: readonly string[], line: string, cut: Cut): Promise<ShownCommand> => {
    put(`$ ${line}`, colors.bold)
    const { code, output } = await runToEnd(words, options)
    put(`${cutLines(output, cut)}\n`)
    const command = { command: line, code, output }
    shown.push(command)
    return command
  }
  return {
    shown,
    say(heading, lines) {
      put(`── ${heading}`, (text) => colors.cyan(colors.bold(text)))
      put(`${lines.join("\n")}\n`, colors.cyan)
    },
    async drey(args, cut = {}) {
      const command = await play([...options.program, ...args], ["drey", ...args].map(quoted).join(" "), cut)
      // 1 is an answer ("something needs review"); anything above it means that the demonstration itself is broken.
      if (command.code <= exitCode.no) return command
      throw new DreyError(`"${command.command}" ended with exit code ${command.code}`, { exitCode: exitCode.bug })
    },
    run: (program, args, cut = {}) => play([program, ...args], [program, ...args].map(quoted).join(" "), cut),
  }
}

/** Both streams go into one file, so that their lines keep their order. */
async function runToEnd(words: readonly string[], { folder, root, environment, signal }: StageOptions) {
  const path = join(folder, "output.txt")
  const file = openSync(path, "w")
  try {
    const [program = "", ...args] = words
    const child = spawn(program, args, { cwd: root, env: environment, stdio: ["ignore", file, file], signal })
    const code = await new Promise<number>((resolve, reject) =>
      child.on("error", reject).on("close", (status) => resolve(status ?? exitCode.bug)),
    )
    return { code, output: readFileSync(path, "utf8") }
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

function cutLines(output: string, { first = 0, last = 0 }: Cut): string {
  const lines = output.trimEnd().split("\n")
  const left = lines.length - first - last
  if (first + last === 0 || left <= 1) return lines.join("\n")
  return [...lines.slice(0, first), `  … ${count(left, "line")} …`, ...lines.slice(first + left)].join("\n")
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `"${word}"`
}
