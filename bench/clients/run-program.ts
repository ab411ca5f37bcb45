import { spawn } from "node:child_process"

export type ProgramPlace = { cwd: string; env: Record<string, string>; seconds?: number }
export type ProgramResult = { code: number | null; stdout: string; stderr: string }

/** Runs a program to its end, with this environment and no other; what it started ends with it when it takes too long. */
export function runProgram(
  [program = "", ...args]: readonly string[],
  { cwd, env, seconds = 180 }: ProgramPlace,
): Promise<ProgramResult> {
  return new Promise((settle, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true })
    const result: ProgramResult = { code: null, stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      result.stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      result.stderr += text
    })
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), seconds * 1000)
    child.on("error", reject)
    child.on("exit", (code) => {
      clearTimeout(timer)
      result.code = code
      setTimeout(() => settle(result), 100) // not "close": what it left in the background may hold its output open
    })
  })
}
