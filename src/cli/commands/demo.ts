import { spawn } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Command } from "commander"
import { exitCode } from "../../errors.ts"
import { temporaryRunner } from "../../formats/shell-command.ts"
import { openBrowser } from "../../web/browser.ts"
import { commandGroup } from "../command.ts"
import { playDemo } from "../demo/demo-script.ts"
import { createSample, openStage, type Sample, type StageOptions } from "../demo/demo-stage.ts"
import { colors, writeOut } from "../output.ts"
import { print } from "../print.ts"
import { thisProgram } from "./connect.ts"

type Options = { ui: boolean; keep?: boolean; json?: boolean }

export function demoCommand(): Command {
  return commandGroup(
    "demo",
    "Run the whole workflow on a sample repository: convert, learn, recall, review, decide; then open the browser app. Uses a temporary folder and its own home. Takes a few seconds and needs no key and no network. All output comes from the commands it names.",
    "drey demo\ndrey demo --no-ui --keep",
  )
    .option("--no-ui", "skip the browser app; default without a terminal and in CI")
    .option("--keep", "keep the sample folder, to continue with it")
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
    const sample = createSample(join(dirname(script), "..", "templates", "sample"), folder, Date.now())
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
    stage.say(...ending(sample, { ...options, withUi, runner: temporaryRunner(script) }))
    if (withUi) await showUi(staging)
    if (options.json)
      print(
        options,
        () => ({ folder: options.keep ? folder : null, commands: stage.shown }),
        () => "",
      )
  } catch (error) {
    if (!stop.signal.aborted) throw error
    process.exitCode = exitCode.no // interrupted by the user
  } finally {
    if (!options.keep) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Must not include the user's transcripts, settings or keys. */
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
    "Each $ line is a command, followed by its real output. Everything happens in",
    `${folder}, which ${keep ? "is kept" : "is removed at the end"}.`,
  ]
}

type Ending = Options & { withUi: boolean; runner: string | undefined }

function ending({ root, home }: Sample, { keep, withUi, runner }: Ending): [string, string[]] {
  const drey = runner === undefined ? "drey" : `${runner} drey`
  const own = `To start in your own repository: ${drey} init`
  if (withUi) return ["9. See it in the browser", [own, "Press Ctrl-C to stop the demo."]]
  if (!keep) return ["Done", [own]]
  return [
    "Done",
    [own, "To continue with the sample:", `  cd ${root}`, `  export DREY_HOME=${join(home, ".drey")}`, `  ${drey} ui`],
  ]
}

/** Opens the sample in the user's browser until interrupted. */
async function showUi({ program, folder, root, environment, signal, write }: StageOptions): Promise<void> {
  const [node, script] = program
  write(`${colors.bold("$ drey ui --no-open")}\n`)
  // The demo's home is not the user's home, so the browser is started from this process.
  const child = spawn(node, [script, "ui", "--no-open"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
    signal,
    detached: process.platform !== "win32", // Ctrl-C reaches only this process, which then stops the child
  })
  let closeLink = () => {}
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    write(text)
    const [url] = /https?:\/\/\S+/.exec(text) ?? []
    if (url) closeLink = openBrowser(url, join(folder, "browser"))
  })
  await new Promise<void>((resolve, reject) =>
    child
      .on("error", (error) => {
        if (!signal.aborted) reject(error) // otherwise it is stopping, and may still write to its folder
      })
      .on("close", () => resolve()),
  )
  closeLink()
}
