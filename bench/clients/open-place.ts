import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { delimiter, dirname, join, relative } from "node:path"
import { makeProject } from "./make-project.ts"
import type { RealClient } from "./real-client.ts"
import { type ProgramResult, runProgram } from "./run-program.ts"
import { type ModelRequest, type ModelTurn, startScriptedModel } from "./scripted-model.ts"
import { writeText } from "./write-text.ts"

export type PlaceParts = {
  /** The built program. */
  cli: string
  /** Where the clients' programs are. */
  programs: string
  modelFolder: string
  /** A new folder, for this client alone. */
  work: string
}

/** A repository in which Drey is connected to a client that talks to the scripted model, with a home of its own. */
export type Place = {
  project: string
  drey(...args: string[]): Promise<ProgramResult>
  /** Whether every file beside those of the team and what is generated has the bytes that it had before Drey was connected. */
  isAsBefore(): boolean
  /** A new session: the user's words, and what the model answers turn by turn; a sub-agent's model answers "Done." to its task. */
  session(prompt: string, turns: ModelTurn[], subtask?: string): Promise<SessionRun>
  close(): Promise<void>
}

/** What a session of a client left: what it sent to the model, and what it printed. */
export type SessionRun = { requests: ModelRequest[]; printed: string; code: number | null; seconds: number }

export async function openPlace(client: RealClient, { cli, programs, modelFolder, work }: PlaceParts): Promise<Place> {
  const [home, project, own] = ["home", "project", "bin"].map((name) => join(work, name)) as [string, string, string]
  for (const folder of [home, project, own]) mkdirSync(folder, { recursive: true })
  symlinkSync(cli, join(own, "drey"))
  const env = environmentIn(home, [own, programs])
  const drey = (...args: string[]) => runProgram(["drey", ...args], { cwd: project, env })

  const script = join(work, "script.json")
  writeText(script, "{}")
  const log = join(work, "requests.jsonl")
  const model = await startScriptedModel(modelFolder, { script, log, vars: { cwd: project } })
  const clientPlace = { home, project, modelUrl: model.url }

  await makeProject({ cwd: project, env })
  client.prepare(clientPlace)
  await mustWork(drey("init"))
  const before = readProject(project)
  await mustWork(drey("connect", client.id, "--yes"))
  return {
    project,
    isAsBefore: () => JSON.stringify(readProject(project)) === JSON.stringify(before),
    drey,
    async session(prompt, turns, subtask) {
      const branches = subtask === undefined ? [] : [{ whenFirstUserIncludes: subtask, turns: [{ text: "Done." }] }]
      writeText(script, JSON.stringify({ aux, turns, branches }))
      const sent = model.requests.length
      const started = Date.now()
      const { code, stdout, stderr } = await runProgram([client.program, ...client.args(prompt)], {
        cwd: project,
        env: { ...env, ...client.environment(clientPlace) },
      })
      const seconds = (Date.now() - started) / 1000
      writeText(join(work, `session-${sent}.txt`), `${stdout}\n${stderr}`)
      return { requests: model.requests.slice(sent), printed: stdout + stderr, code, seconds }
    },
    close: () => model.close(),
  }
}

function readProject(project: string): [path: string, text: string][] {
  return readdirSync(project, { recursive: true, withFileTypes: true })
    .map((item) => ({ item, path: relative(project, join(item.parentPath, item.name)) }))
    .filter(({ path }) => !/^(?:\.git|\.squad|generated)(?:[\\/]|$)/.test(path))
    .map(({ item, path }): [string, string] => [path, item.isFile() ? readFileSync(join(project, path), "utf8") : ""])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Only the PATH of the user's environment: no keys, no settings. */
export function environmentIn(home: string, programs: readonly string[]): Record<string, string> {
  return {
    PATH: [...programs, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    DREY_HOOK_MS: process.env.DREY_HOOK_MS ?? "8000", // whether a busy machine is quick enough is not asked here
  }
}

/** What clients ask their model beside the work: for a title, for the next speaker. */
const aux = '{"isNewTopic": true, "title": "Prices", "next_speaker": "user", "reasoning": "done"}'

export async function mustWork(running: Promise<ProgramResult>): Promise<ProgramResult> {
  const result = await running
  if (result.code !== 0) throw new Error(`drey ended with ${result.code}:\n${result.stdout}${result.stderr}`)
  return result
}
