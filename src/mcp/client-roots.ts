import { fileURLToPath } from "node:url"
import type { Server } from "@modelcontextprotocol/server"

const patienceMs = 2000

/** Requests the client's open folders, once, and again when it reports a change. Most clients have none. */
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
    return [] // the client advertised roots but failed: use the working directory
  }
}
