import { join } from "node:path"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import type { CliResult } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

/** For tests: a user's machine with a repository in which the agent developer has just begun a session. */
export type SessionPlace = LearningPlace & {
  /** The session's. */
  id: string
  folder: string
  /** Runs `drey session …` in this session. */
  session(...args: string[]): Promise<CliResult>
  /** The same with something on stdin. */
  sessionWith(input: string, ...args: string[]): Promise<CliResult>
  /** The same for a command that must succeed, with its JSON document. */
  sessionJson<Document>(...args: string[]): Promise<Document>
}

export async function sessionPlace(task: string, files: Record<string, string> = {}): Promise<SessionPlace> {
  const place = learningPlace({ files })
  const started = await place.run("session", "start", task, "--agent", "developer")
  const id = started.stdout.split("\n")[0] ?? ""
  const folder = join(place.root, ".squad/sessions", id)
  const sessionWith = (input: string, ...args: string[]) =>
    runWarm(["session", ...args], { cwd: place.root, env: { ...place.env, DREY_SESSION: id }, input })
  return {
    ...place,
    id,
    folder,
    session: (...args) => sessionWith("", ...args),
    sessionWith,
    async sessionJson(...args) {
      const { code, stdout, stderr } = await sessionWith("", ...args, "--json")
      if (code !== 0) throw new Error(`drey session ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`)
      return JSON.parse(stdout)
    },
  }
}
