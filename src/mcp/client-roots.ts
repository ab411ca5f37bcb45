import { fileURLToPath } from "node:url"
import type { Server } from "@modelcontextprotocol/server"

const patienceMs = 2000

/** Asks a client for the folders it has open, once, and again when it says that they have changed. Most tell none. */
export function clientRoots(server: Server): () => Promise<string[]> {
  let known: Promise<string[]> | undefined
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    known = undefined
  })
  return () => {
    known ??= server.getClientCapabilities()?.roots === undefined ? Promise.resolve([]) : askRoots(server)
    return known
  }
}

async function askRoots(server: Server): Promise<string[]> {
  try {
    const { roots } = await server.listRoots(undefined, { timeout: patienceMs })
    return roots.flatMap(({ uri }) => (uri.startsWith("file:") ? [fileURLToPath(uri)] : []))
  } catch {
    return [] // it said it could tell and cannot: the folder that it started us in does as well
  }
}
