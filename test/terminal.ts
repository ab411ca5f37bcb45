import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { cliPath } from "./run-cli.ts"

/** `script` gives a command a terminal of its own; its form is util-linux's. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true

/** Starts the built CLI on a terminal of the usual size; what is written to it is typed. */
export function startOnTerminal(
  command: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): ChildProcessWithoutNullStreams {
  const line = `stty rows 24 columns 80; exec '${process.execPath}' '${cliPath}' ${command}`
  return spawn("script", ["-qec", line, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", SHELL: "/bin/sh", ...env },
  })
}
