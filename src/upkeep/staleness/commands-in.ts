import type { CommandName, Runner } from "./name.ts"

type Found = CommandName & { text: string }

const target = String.raw`([\w][\w:.@/-]*)`

/** How each runner is called. Built-in subcommands of a package manager are not scripts. */
const calls: [Runner, RegExp][] = [
  ["package", new RegExp(String.raw`^(?:npm|pnpm|yarn|bun)\s+(?:-\S+\s+)*run(?:-script)?\s+(?:-\S+\s+)*${target}`)],
  ["package", /^(?:npm|pnpm|yarn)\s+(test|start)\b/],
  ["package", new RegExp(String.raw`^(?:pnpm|yarn)\s+(?!-)${target}`)],
  ["make", new RegExp(String.raw`^make\s+${target}`)],
  ["just", new RegExp(String.raw`^just\s+${target}`)],
  ["deno", new RegExp(String.raw`^deno\s+task\s+${target}`)],
  ["task", new RegExp(String.raw`^task\s+${target}`)],
  ["cargo", new RegExp(String.raw`^cargo\s+run\b.*?\s--(?:bin|example)[ =]${target}`)],
  ["python", new RegExp(String.raw`^(?:poetry|uv|pdm|hatch|rye)\s+run\s+(?!-)${target}`)],
  ["python", new RegExp(String.raw`^poe\s+${target}`)],
]

const ownCommands = new Set(
  "add approve-builds audit bin cache catalog config constraints create dedupe deploy dlx doctor env exec explain explore fetch global help i import info init install link list login logout ls node npm outdated owner pack patch patch-commit plugin prune publish python python3 pytest rebuild remove rm run search self-update server set setup store tag team uninstall unlink unplug up update upgrade version versions view why workspace workspaces".split(
    " ",
  ),
)

/** The repository's own commands in a shell line: scripts and targets, not programs. */
export function commandsIn(line: string): Found[] {
  return line.split(/&&|\|\||[;|]/).flatMap((part) => {
    const command = part.trim().replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, "")
    for (const [runner, call] of calls) {
      const match = call.exec(command)
      const [text, name] = match ?? []
      if (text === undefined || name === undefined) continue
      return isProgram(runner, name, text) ? [] : [{ kind: "command" as const, runner, target: name, text }]
    }
    return []
  })
}

/** Commands of a package manager or environment that the repository does not define. */
function isProgram(runner: Runner, name: string, text: string): boolean {
  if (runner === "package") return ownCommands.has(name) && !/\brun(?:-script)?\s/.test(text)
  return runner === "python" && (/[./]/.test(name) || ownCommands.has(name))
}
