import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { expect, test } from "vitest"
import { makeRepository, readTree, runCli, writeFiles } from "./run-cli.ts"
import { hasTerminal, startOnTerminal } from "./terminal.ts"

type Document = { folder: string | null; commands: { command: string; code: number; output: string }[] }

/** An empty home and an empty place for temporary folders: whatever is left behind is seen. */
function emptyMachine() {
  const cwd = makeRepository({})
  const env = { HOME: join(cwd, "home"), DREY_HOME: join(cwd, "home", ".drey"), TMPDIR: join(cwd, "tmp") }
  mkdirSync(env.HOME)
  mkdirSync(env.TMPDIR)
  return { cwd, env }
}

test("the demo prints every step, exits without a terminal, and leaves nothing behind", async () => {
  const it = emptyMachine()
  const { code, stdout, stderr } = await runCli(["demo"], it)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  const commands = [...stdout.matchAll(/^\$ (\S+ \S+)/gm)].map(([, words]) => words)
  expect(commands).toEqual([
    "cat .squad/decisions.md",
    "drey list",
    "drey convert-memory",
    "drey learn",
    ...Array(3).fill(["drey context", "drey learn"]).flat(),
    "drey merge",
    "drey list",
    expect.stringMatching(/^drey show$|^drey show /),
  ])
  expect(stdout).toContain("Read 58 records of 3 transcripts: 44 events, 3 episodes.")
  expect(stdout.match(/^ {2}promote m-.*/gm)).toEqual([
    expect.stringMatching(/: 4 opportunities, used in 3 of 3 contexts, helped 3 times$/),
  ])
  expect(stdout).toMatch(/handed out 3 times, skipped 0 times; helped 3 times/)
  expect(stdout).not.toMatch(/^credit/m) // too few tasks to compare with
  expect(readTree(it.env.HOME)).toEqual({})
  expect(readdirSync(it.env.TMPDIR)).toEqual([])
})

test("what the demo shows below a command is what that command prints", async () => {
  const it = emptyMachine()
  const text = (await runCli(["demo", "--keep"], it)).stdout
  const [folder = ""] = readdirSync(it.env.TMPDIR).map((name) => join(it.env.TMPDIR, name))
  const home = join(folder, "home")
  const root = join(folder, "ferry-tickets")
  const env = { HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  expect(text).toContain(`cd ${root}\n  export DREY_HOME=${env.DREY_HOME}`)
  const [, handle = "", shown = ""] = /^\$ drey show (\S+)\n([\s\S]*?)\n\n── /m.exec(text) ?? []
  expect(shown).toBe((await runCli(["show", handle], { cwd: root, env })).stdout.trimEnd())
  const listed = (await runCli(["list", "--tags", "learned"], { cwd: root, env })).stdout
  expect(text).toContain(`$ drey list --tags learned\n${listed}`)
  const decisions = /^\$ cat \.squad\/decisions\.md\n([\s\S]*?)\n {2}… (\d+) lines …$/m.exec(text)
  const [, backup = ""] = /^Backup written to (\S+)\.$/m.exec(text) ?? []
  const original = readFileSync(join(root, backup, "decisions.md"), "utf8")
  expect(original.startsWith(decisions?.[1] ?? "nothing")).toBe(true)
  expect(original.trimEnd().split("\n")).toHaveLength(11 + Number(decisions?.[2]))
})

test("as JSON the demo is one document with every command, its exit code and its whole output", async () => {
  const it = emptyMachine()
  const { code, stdout } = await runCli(["demo", "--json"], it)
  expect(code).toBe(0)
  const { folder, commands }: Document = JSON.parse(stdout)
  expect(folder).toBeNull()
  expect(commands.map((command) => command.code)).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) // one entry needs review
  expect(commands.at(3)?.output).toMatch(/invariant: This project uses pnpm, never npm\.$/m)
})

test.runIf(hasTerminal)(
  "on a terminal the demo serves the browser app until Ctrl-C, then removes everything",
  async () => {
    const it = emptyMachine()
    const browser = makeBrowser(it.cwd)
    const child = startOnTerminal("demo", {
      cwd: it.cwd,
      env: { ...it.env, PATH: `${browser.folder}:${process.env.PATH}` },
    })
    let seen = ""
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    await new Promise<void>((resolve) =>
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        seen += stripVTControlCharacters(text)
        if (seen.includes("Press Ctrl-C to stop.")) resolve()
      }),
    )
    await expect.poll(() => browser.opened(), { timeout: 20_000 }).toMatch(/^http/)
    expect(seen).toContain(`$ drey ui --no-open\r\nDrey is at ${browser.opened()}`)
    child.stdin.write("\x03")
    expect(await ended).toBe(0)
    const rows = seen.split(/\r?\n/).filter((row) => row.length > 80 && !/http:|\.jsonl:/.test(row))
    expect(rows).toEqual([]) // but for the link and the path of a transcript, which cannot be broken
    expect(readdirSync(it.env.TMPDIR)).toEqual([])
    expect(readTree(it.env.HOME)).toEqual({})
  },
)

/** A folder for the PATH in which the programs that open a browser only note the address that the file they are given leads to. */
function makeBrowser(place: string) {
  const folder = join(place, "programs")
  const note = join(place, "opened.txt")
  for (const name of ["xdg-open", "open"]) {
    writeFiles(folder, { [name]: `#!/bin/sh\nsed 's/.*;url=\\([^"]*\\)".*/\\1/' "$1" >> ${note}\n` })
    chmodSync(join(folder, name), 0o755)
  }
  return { folder, opened: () => (existsSync(note) ? readFileSync(note, "utf8").trim() : "nothing") }
}
