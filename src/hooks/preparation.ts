import { randomUUID } from "node:crypto"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { dreyHome } from "../config.ts"
import { makeHomeFolder, removeFromHome, writeInHome } from "../disk/home-files.ts"
import type { Drey } from "../drey.ts"
import { type BackgroundPlace, isUnderWay, markOf, spawnBeside, startInBackground } from "./start-in-background.ts"

/** Runs `prepareAnswers`. */
const prepare = ["hook", "--prepare"] as const

/** One that ended without a word was killed or ran out of memory: it would again. */
const retryAfterMs = 10 * 60_000

/** Where it cannot be told whether anything has changed, this often a process looks. */
const lookAgainAfterMs = 60_000

/**
 * Has another process bring the index and the guards of a large team folder up to date, and returns whether that is done. It waits only for
 * a process that it started, so once and not at every prompt, and for an index that is known to be behind. None is started where one is under way or failed a while ago, or,
 * where it is not known whether anything has changed, one looked not long ago.
 */
export async function prepareInBackground(
  place: BackgroundPlace,
  index: "behind" | "unknown",
  waitMs: number,
): Promise<boolean> {
  const child = isDue(place, index) ? startInBackground(prepare, place) : undefined
  return child !== undefined && index === "behind" && endsWell(child, waitMs)
}

/** Waits for the end of a process, or the end of our patience. */
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
  if (isUnderWay(mark)) return false
  const [began, ended] = [mark, endMarkOf(place)].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs)
  if (began !== undefined && (ended === undefined || ended < began)) return Date.now() - began > retryAfterMs
  return index === "behind" || ended === undefined || Date.now() - ended > lookAgainAfterMs
}

/** Written by a process that prepared the answers, when it is done. */
export function endMarkOf(place: Pick<BackgroundPlace, "home" | "root">): string {
  return markOf("prepared", place)
}

/** Shows the process that it is given to that a hook has started it. */
function givePass(home: string): string {
  const pass = randomUUID()
  makeHomeFolder(passFolder(home))
  writeInHome(join(passFolder(home), pass), "")
  return pass
}

/** Whether a hook gave this pass; it counts once. */
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

/** The rules of a prompt, noted by another process; none where that takes too long, which notes them all the same. */
export function captureInBackground(message: string, place: BackgroundPlace, waitMs: number): Promise<Captures> {
  const pass = givePass(place.home)
  const child = spawnBeside(["hook", "--capture"], place, ["pipe", "pipe", "ignore"])
  return new Promise((settle) => {
    let text = ""
    const timer = setTimeout(() => settle([]), waitMs)
    child.stdin?.on("error", () => {}).end(`${pass}\n${message}`) // whether it took it shows in what it prints
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
