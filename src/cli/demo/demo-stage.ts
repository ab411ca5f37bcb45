import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { DreyError, exitCode } from "../../errors.ts"
import { colors } from "../output.ts"
import { count } from "../print.ts"

/** One command of the demonstration: its line, how it ended, and all it printed. */
export type ShownCommand = { command: string; code: number; output: string }

/** How many of the lines that a command prints are shown: so many of the first and of the last; all when neither is given. */
export type OutputExcerpt = { first?: number; last?: number }

/** Runs real commands in the sample's repository and shows each line with its output. */
export type Stage = {
  /** What comes next, in lines of at most 80 columns. */
  say(heading: string, lines: readonly string[]): void
  drey(args: string[], cut?: OutputExcerpt): Promise<ShownCommand>
  /** A program of the machine instead. */
  run(program: string, args: string[], cut?: OutputExcerpt): Promise<ShownCommand>
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
  const play = async (words: readonly string[], line: string, cut: OutputExcerpt): Promise<ShownCommand> => {
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

function cutLines(output: string, { first = 0, last = 0 }: OutputExcerpt): string {
  const lines = output.trimEnd().split("\n")
  const left = lines.length - first - last
  if (first + last === 0 || left <= 1) return lines.join("\n")
  return [...lines.slice(0, first), `  … ${count(left, "line")} …`, ...lines.slice(first + left)].join("\n")
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `"${word}"`
}

/** Breaks longer lines at spaces. What follows is indented, and stays a quotation where the line is one; no width, no breaks. */
export function wrapLines(text: string, width: number | undefined): string {
  if (width === undefined) return text
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, width))
    .join("\n")
}

function wrapLine(line: string, width: number): string[] {
  const beginning = line.startsWith("> ") ? "> " : `${/^ */.exec(line)?.[0]}    `
  const rows: string[] = []
  let row = line
  while (row.length > width) {
    const space = row.lastIndexOf(" ", width)
    const at = space > beginning.length ? space : row.indexOf(" ", width)
    if (at === -1) break
    rows.push(row.slice(0, at).trimEnd())
    row = beginning + row.slice(at).trimStart()
  }
  return [...rows, row]
}

/** The day on which the sample's files were written, in their own dates. */
const writtenOn = "2026-03-06"
/** Where the sample's repository was on the machine of its users. */
const formerRoot = "/home/ines/ferry-tickets"
const dayMs = 86_400_000

export type Sample = { root: string; home: string }

/** Copies the sample into a folder, as if the work in it had ended yesterday and its repository had always been there. */
export function createSample(from: string, folder: string, now: number): Sample {
  const sample = { root: join(folder, "ferry-tickets"), home: join(folder, "home") }
  const days = Math.floor(now / dayMs) - Date.parse(writtenOn) / dayMs
  const rootInJson = JSON.stringify(sample.root).slice(1, -1) // a path of Windows has backslashes
  for (const file of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const path = join(file.parentPath, file.name)
    const name = relative(from, path).split(sep).join("/")
    const target = join(folder, moveDates(name, days))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(
      target,
      moveDates(readFileSync(path, "utf8"), days).replaceAll(formerRoot, () => rootInJson),
    )
  }
  return sample
}

/** Every date as many days later, in texts and in the names of files: `2026-03-04`, `2026/03/04`. */
export function moveDates(text: string, days: number): string {
  return text.replace(/\b(\d{4})([-/])(\d\d)\2(\d\d)(?!\d)/g, (_, year, mark, month, day) => {
    const moved = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + days))
    return moved.toISOString().slice(0, 10).replaceAll("-", mark)
  })
}
