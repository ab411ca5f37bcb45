import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { asker, endings } from "./mcp-client.ts"
import { type Note, type PeerProcess, type Place, wordsIn } from "./peer.ts"

type Reply = { text?: string; error?: string }

/** Starts a library in a process of its own, by a script that answers each line of its input with a line. */
export async function startLibrary(
  script: string,
  place: Place,
  withContext: boolean,
): Promise<PeerProcess & { writeMany(notes: readonly Note[]): Promise<void> }> {
  const child = spawn(process.execPath, [resolve("bench", "peers", script), JSON.stringify(place)], {
    cwd: place.folder,
    env: { ...process.env, HOME: place.folder, MEM0_TELEMETRY: "false", MEM0_DIR: place.folder },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const request = asker(child)
  const ask = async (act: string, about: object) => {
    const { text = "", error } = await request<Reply>({ act, ...about })
    if (error !== undefined) throw new Error(error)
    return text
  }
  await ask("ready", {})
  return {
    pid: child.pid as number,
    write: async (note) => void (await ask("write", { notes: [note] })),
    writeMany: async (notes) => void (await ask("write", { notes })),
    search: (query) => ask("search", { query }),
    context: withContext ? (query) => ask("search", { query }) : undefined,
    holds: async (words) => wordsIn(await ask("list", {}), words),
    toolBytes: undefined,
    ...endings(child),
  }
}
