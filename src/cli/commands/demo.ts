import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Command } from "commander"
import { exitCode } from "../../errors.ts"
import { passingRunner } from "../../formats/passing-runner.ts"
import { commandGroup } from "../command.ts"
import { layOutSample, type Sample } from "../demo/lay-out-sample.ts"
import { openStage, type StageOptions } from "../demo/open-stage.ts"
import { playDemo } from "../demo/play-demo.ts"
import { showUi } from "../demo/show-ui.ts"
import { print } from "../print.ts"
import { writeOut } from "../write-out.ts"
import { thisProgram } from "./connect.ts"

type Options = { ui: boolean; keep?: boolean; json?: boolean }

export function demoCommand(): Command {
  return commandGroup(
    "demo",
    "Show the whole way on a sample repository, in a temporary folder and with a home of its own: convert, learn, hand out, judge, decide; then the browser app. Takes some seconds, no key and no network. What it shows is printed by the commands it names.",
    "drey demo\ndrey demo --no-ui --keep",
  )
    .option("--no-ui", "end after the last command; also without a terminal, and in CI")
    .option("--keep", "leave the sample where it is, to go on with it")
    .option("--json", "print one JSON document: every command with its exit code and output")
    .action(demo)
}

async function demo(options: Options): Promise<void> {
  const { node, script } = thisProgram()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-demo-")))
  const stop = new AbortController()
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => stop.abort())
  const write = (text: string) => writeOut(text, { paged: false })
  try {
    const sample = layOutSample(join(dirname(script), "..", "templates", "sample"), folder, Date.now())
    const staging: StageOptions = {
      folder,
      root: sample.root,
      program: [node, script],
      environment: environmentOf(sample),
      width: process.stdout.isTTY ? Math.max(60, process.stdout.columns || 80) : undefined,
      write: options.json ? () => {} : write,
      signal: stop.signal,
    }
    const stage = openStage(staging)
    stage.say("Drey on a sample: a site that sells ferry tickets", introduction(folder, options))
    await playDemo(stage, sample, Date.now)
    const withUi = options.ui && !options.json && process.stdout.isTTY === true && !process.env.CI
    stage.say(...ending(sample, { ...options, withUi, runner: passingRunner(script) }))
    if (withUi) await showUi(staging)
    if (options.json)
      print(
        options,
        () => ({ folder: options.keep ? folder : null, commands: stage.shown }),
        () => "",
      )
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.exitCode = exitCode.no // somebody ended it, and knows
  } finally {
    if (!options.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Nothing of the user's own: neither their agents' transcripts and settings, nor keys. */
function environmentOf({ home }: Sample): NodeJS.ProcessEnv {
  const kept = ["PATH", "Path", "SystemRoot", "TEMP", "TMP", "TMPDIR", "LANG", "DREY_DEBUG"]
  const pairs = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return {
    ...Object.fromEntries(pairs),
    HOME: home,
    USERPROFILE: home,
    DREY_HOME: join(home, ".drey"),
    DREY_USER: "ines",
  }
}

function introduction(folder: string, { keep }: Options): string[] {
  return [
    "Two agents, decisions in five styles, three transcripts. No key, no network.",
    "Below each $ stands what that command printed. All of it happens in",
    `${folder}, which ${keep ? "stays" : "is removed at the end"}.`,
  ]
}

type Ending = Options & { withUi: boolean; runner: string | undefined }

function ending({ root, home }: Sample, { keep, withUi, runner }: Ending): [string, string[]] {
  const drey = runner === undefined ? "drey" : `${runner} drey`
  const own = `In a repository of your own, begin with: ${drey} init`
  if (withUi) return ["9. See it in the browser", [own, "Ctrl-C ends the demo."]]
  if (!keep) return ["That is all", [own]]
  return [
    "That is all",
    [own, "To go on with the sample:", `  cd ${root}`, `  export DREY_HOME=${join(home, ".drey")}`, `  ${drey} ui`],
  ]
}
