import { randomUUID } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { dreyHome } from "../config.ts"
import { makeHomeFolder, removeFromHome, writeInHome } from "../disk/home-files.ts"
import { withLockIfFree } from "../disk/lock.ts"
import { type Drey, openDrey } from "../drey.ts"
import { type BackgroundPlace, isProcessRunning, markOf, spawnBeside, startInBackground } from "./background-process.ts"

/** Runs `prepareAnswers`. */
const prepare = ["hook", "--prepare"] as const

/** A process that left no end mark was killed or ran out of memory, and would again. */
const retryAfterMs = 10 * 60_000

/** How often to start a process where it is unknown whether anything changed. */
const lookAgainAfterMs = 60_000

/**
 * Starts another process that updates the index and the guards of a large team folder; returns whether it is done. It
 * waits only for a process that it started itself, and only for an index known to be outdated. It starts none while one
 * is running, after a recent failure, or, where it is unknown whether anything changed, after a recent check.
 */
export async function prepareInBackground(
  place: BackgroundPlace,
  index: "behind" | "unknown",
  waitMs: number,
): Promise<boolean> {
  const child = isDue(place, index) ? startInBackground(prepare, place) : undefined
  return child !== undefined && index === "behind" && endsWell(child, waitMs)
}

/** Waits for a process to end, or for the timeout. */
function endsWell(child: ReturnType<typeof spawnBeside>, waitMs: number): Promise<boolean> {
  return new Promise((settle) => {
    const timer = setTimeout(() => settle(false), waitMs)
    const end = (code: unknown) => {
      clearTimeout(timer)
      settle(code === 0)
    }
    child.once("exit", end).once("error", end)
  })
}

function isDue(place: BackgroundPlace, index: "behind" | "unknown"): boolean {
  const mark = markOf(prepare[0], place)
  if (isProcessRunning(mark)) return false
  const [began, ended] = [mark, endMarkOf(place)].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
  if (began !== undefined && (ended === undefined || ended < began)) return Date.now() - began > retryAfterMs
  return index === "behind" || ended === undefined || Date.now() - ended > lookAgainAfterMs
}

/** Written by the preparing process when it is done. */
export function endMarkOf(place: Pick<BackgroundPlace, "home" | "root">): string {
  return markOf("prepared", place)
}

/** A one-time pass by which a process knows that a hook started it. */
function writePass(home: string): string {
  const pass = randomUUID()
  makeHomeFolder(passFolder(home))
  writeInHome(join(passFolder(home), pass), "")
  return pass
}

/** Whether a hook issued this pass; it is valid once. */
export function takePass(environment: NodeJS.ProcessEnv, pass: string): boolean {
  const path = join(passFolder(dreyHome(environment)), pass)
  if (!/^[0-9a-f-]{36}$/.test(pass) || !existsSync(path)) return false
  removeFromHome(path)
  return true
}

function passFolder(home: string): string {
  return join(home, "hooks", "passes")
}

type Captures = Awaited<ReturnType<Drey["team"]["captureRules"]>>

/** Saves the rules of a prompt in another process; returns none if that takes too long, but they are still saved. */
export function captureInBackground(message: string, place: BackgroundPlace, waitMs: number): Promise<Captures> {
  const pass = writePass(place.home)
  const child = spawnBeside(["hook", "--capture"], place, ["pipe", "pipe", "ignore"])
  return new Promise((settle) => {
    let text = ""
    const timer = setTimeout(() => settle([]), waitMs)
    child.stdin?.on("error", () => {}).end(`${pass}\n${message}`) // its output shows whether it read the input
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
    })
    child
      .once("error", () => settle([]))
      .once("close", () => {
        clearTimeout(timer)
        settle(text === "" ? [] : (JSON.parse(text) as Captures))
      })
  })
}

/** A repository whose index takes longer has none: its hooks return nothing, or use an older one. */
const mostMs = 5 * 60_000

/** Updates the index and guards that hooks use, in a process that no client waits for; at most one at a time. */
export async function prepareAnswers(root: string | undefined): Promise<void> {
  endAfter(mostMs)
  const drey = openDrey({ ...(root === undefined ? {} : { root }), automatic: true, warn: () => {} }) // the hook itself warns
  const endMark = endMarkOf({ home: dreyHome(process.env), root: drey.root })
  await withLockIfFree(`${endMark}.lock`, async () => {
    await drey.context.build({ isLook: true }) // updates the index, also in a repository without guards
    await drey.context.compileGuards()
    writeInHome(endMark, "")
  })
  await drey.close()
}

/** In a worker thread: synchronous reading and parsing would block a timer of the main thread. */
function endAfter(ms: number): void {
  new Worker(`setTimeout(() => process.kill(process.pid, "SIGKILL"), ${ms})`, { eval: true }).unref()
}
