import { type Command, splitCommand } from "./split-command.ts"

/** The programs of a command line with everything off that only runs another: `env`, `timeout 60`, `npx`, `uv run`, `bash -c "…"`. */
export function unwrapCommands(line: string): Command[] {
  return splitCommand(line).flatMap((command) => unwrap(command, 3))
}

function unwrap({ words, joint }: Command, depth: number): Command[] {
  const bare = withoutWrappers(words)
  const inner = innerLine(bare)
  if (inner === undefined || depth === 0) return bare.length === 0 ? [] : [{ words: bare, joint }]
  const commands = splitCommand(inner).flatMap((command) => unwrap(command, depth - 1))
  const last = commands.at(-1)
  if (last !== undefined) last.joint = joint
  return commands
}

/** The program's name as one says it: no folder, no `.exe`, no `@latest`; python3.12 is python. */
export function programOf(words: readonly string[]): string {
  const written = words[0] ?? ""
  const name = written.slice(Math.max(written.lastIndexOf("/"), written.lastIndexOf("\\")) + 1)
  return name
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, "")
    .replace(/(?<=.)@.*$/, "")
    .replace(/^(python|pip|php|ruby|node)[\d.]{1,6}$/, "$1")
}

function withoutWrappers(words: readonly string[]): string[] {
  let rest = [...words]
  for (let layer = 0; layer < 8; layer++) {
    rest = rest.slice(skipAssignments(rest))
    const wrapper = wrapperOf(rest)
    if (wrapper === undefined) return rest
    rest = rest.slice(wrapper)
  }
  return rest
}

function skipAssignments(words: readonly string[]): number {
  if (words[0]?.startsWith("$env:") === true) return words.length // PowerShell: a statement of its own
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word))
  return first === -1 ? words.length : first
}

/** How many words at the beginning only run what follows them; undefined when nothing follows or the first is a program of its own. */
function wrapperOf(words: readonly string[]): number | undefined {
  const program = programOf(words)
  const rule = wrappers.find(({ name, verb }) => {
    if (!name.includes(program)) return false
    return verb === undefined || verb.includes(words[1] ?? "")
  })
  if (rule === undefined || (program === "command" && /^-[vV]$/.test(words[1] ?? ""))) return undefined
  let at = rule.verb === undefined ? 1 : 2
  for (let left = rule.operands ?? 0; at < words.length; ) {
    const word = words[at] ?? ""
    if (word === "--") return at + 1 < words.length ? at + 1 : undefined
    if (word.startsWith("-")) at += rule.valued?.includes(word) === true ? 2 : 1
    else if (/^[A-Za-z_]\w*=/.test(word)) at++
    else if (left > 0) {
      left--
      at++
    } else return at
  }
  return undefined
}

type Wrapper = {
  name: string[]
  /** The second word that makes it a wrapper. */
  verb?: string[]
  /** Words of its own before the program. */
  operands?: number
  /** Its flags that take a value. */
  valued?: string[]
}

const wrappers: Wrapper[] = [
  { name: ["sudo", "doas"], valued: ["-u", "-g"] },
  {
    name: [
      "env",
      "nohup",
      "nice",
      "command",
      "exec",
      "builtin",
      "stdbuf",
      "unbuffer",
      "caffeinate",
      "cross-env",
      "wsl",
      "rtk",
    ],
    valued: ["-n", "-u", "-d"],
  },
  { name: ["timeout", "gtimeout"], operands: 1, valued: ["-s", "-k", "--signal"] },
  { name: ["npx", "bunx", "pnpx", "uvx"], valued: ["-p", "--package", "--from", "--with"] },
  { name: ["xvfb-run"], valued: ["-n", "-s"] },
  { name: ["npm"], verb: ["exec", "x"], valued: ["-p", "--package"] },
  { name: ["pnpm", "yarn"], verb: ["exec", "dlx"] },
  { name: ["bun"], verb: ["x"] },
  {
    name: ["uv", "rye", "hatch"],
    verb: ["run"],
    valued: ["--with", "--python", "-p", "--extra", "--group", "--package"],
  },
  { name: ["poetry", "pipenv", "pdm", "pipx"], verb: ["run"] },
  { name: ["conda", "mamba"], verb: ["run"], valued: ["-n", "-p", "--name"] },
  { name: ["bundle"], verb: ["exec"] },
  { name: ["mise"], verb: ["exec", "x"] },
  { name: ["direnv"], verb: ["exec"], operands: 1 },
  {
    name: ["docker", "podman"],
    verb: ["exec"],
    operands: 1,
    valued: ["-u", "-w", "-e", "--user", "--workdir", "--env"],
  },
]

/** The line that a shell is handed: `bash -lc "…"`, `pwsh -Command "…"`, `cmd /c …`, and the like of `docker compose exec app …`. */
function innerLine(words: readonly string[]): string | undefined {
  const program = programOf(words)
  if (["bash", "sh", "zsh", "dash"].includes(program)) {
    const flag = words.findIndex((word) => /^-[a-z]{0,3}c$/.test(word))
    return flag === -1 ? undefined : words[flag + 1]
  }
  if (["powershell", "pwsh"].includes(program)) {
    const flag = words.findIndex((word) => /^-(?:c|command)$/i.test(word))
    return flag === -1 ? undefined : words.slice(flag + 1).join(" ")
  }
  if (program === "cmd" && /^\/c$/i.test(words[1] ?? "")) return words.slice(2).join(" ")
  if (program === "eval") return words.slice(1).join(" ")
  if (program === "docker" && words[1] === "compose") return innerOfCompose(words)
  return undefined
}

function innerOfCompose(words: readonly string[]): string | undefined {
  const verb = words.findIndex((word) => word === "exec" || word === "run")
  if (verb === -1) return undefined
  const service = words.findIndex((word, at) => at > verb && !word.startsWith("-"))
  const rest = service === -1 ? [] : words.slice(service + 1)
  return rest.length === 0 ? undefined : rest.join(" ")
}
