import { spawn } from "node:child_process"
import { once } from "node:events"
import { join, resolve } from "node:path"

export type RunningTeam = {
  url: string
  /** Lets in the first owner, once. */
  ownerLink: string
  stop(): Promise<void>
}

/** `drey team serve` on a database of its own in a folder. Each browser says which address it comes from, for so many signing in from one would be turned away. */
export async function startTeam(folder: string): Promise<RunningTeam> {
  const args = ["team", "serve", "--json", "--listen", "127.0.0.1:0", "--data", join(folder, "data"), "--drain", "0"]
  const child = spawn(
    process.execPath,
    [resolve("dist", "cli.cjs"), ...args, "--org", "lumen", "--owner", "ada@lumen.example", "--behind-proxy"],
    {
      env: { ...process.env, HOME: folder, DREY_HOME: join(folder, ".drey") },
      stdio: ["ignore", "pipe", "ignore"],
    },
  )
  const ended = once(child, "close")
  let text = ""
  for await (const piece of child.stdout.setEncoding("utf8")) {
    text += piece
    if (text.trimEnd().endsWith("}")) break
  }
  return {
    ...(JSON.parse(text) as Pick<RunningTeam, "url" | "ownerLink">),
    async stop() {
      child.kill("SIGTERM")
      await ended
    },
  }
}
