/** What a command line says about how its output is to look; `rest` is the line without it. */
export type OutputFlags = { color: boolean | undefined; pager: boolean; rest: string[] }

/** Takes `--color`, `--no-color` and `--no-pager` out of a command line: they hold for every command, wherever they stand before `--`. */
export function takeOutputFlags(argv: readonly string[]): OutputFlags {
  const end = argv.indexOf("--")
  const before = end === -1 ? argv : argv.slice(0, end)
  const color = before.findLast((word) => word === "--color" || word === "--no-color")
  return {
    color: color === undefined ? undefined : color === "--color",
    pager: !before.includes("--no-pager"),
    rest: argv.filter((word, at) => (end !== -1 && at >= end) || !flags.has(word)),
  }
}

const flags = new Set(["--color", "--no-color", "--no-pager"])
