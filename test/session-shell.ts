import { expect } from "vitest"
import { type CliResult, makeRepository } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

/** For tests: a repository in which `drey session` is run. */
export type SessionShell = {
  root: string
  run(args: string[], options?: { input?: string; env?: Record<string, string>; cwd?: string }): Promise<CliResult>
  /** A command that must succeed: what it prints. */
  say(...args: string[]): Promise<string>
  /** The same with its JSON document. */
  ask<Document = Record<string, unknown>>(...args: string[]): Promise<Document>
}

export function sessionShell(files: Record<string, string> = { ".squad/team.md": "# Team\n" }): SessionShell {
  const root = makeRepository(files)
  const home = makeRepository({})
  const run: SessionShell["run"] = (args, { cwd = root, env = {}, ...options } = {}) =>
    runWarm(["session", ...args], { cwd, env: { DREY_HOME: home, DREY_USER: "ines", ...env }, ...options })
  const say = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(args)
    expect(code, `drey session ${args.join(" ")}: ${stderr}`).toBe(0)
    return stdout
  }
  return { root, run, say, ask: async (...args) => JSON.parse(await say(...args, "--json")) }
}

/** The same after a developer has begun a session. */
export async function started(files?: Record<string, string>): Promise<SessionShell & { id: string; folder: string }> {
  const it = sessionShell(files)
  const { id, folder } = await it.ask<{ id: string; folder: string }>(
    "start",
    "Send the report",
    "--agent",
    "developer",
  )
  return { ...it, id, folder }
}

/** Told in a sentence, with nothing on stdout and no trace of the program's insides. */
export function expectRefusal({ code, stdout, stderr }: CliResult, expected: number, message: RegExp): void {
  expect(stderr).toMatch(message)
  expect([code, stdout]).toEqual([expected, ""])
  expect(stderr).not.toMatch(/^ {4}at /m)
}

/** All at once: none of them changes anything. */
export async function refuses(
  run: SessionShell["run"],
  cases: [args: string[], code: number, message: RegExp][],
): Promise<void> {
  await Promise.all(cases.map(async ([args, code, message]) => expectRefusal(await run(args), code, message)))
}
