import { join } from "node:path"
import { cleanupSessions } from "./cleanup-sessions.ts"
import { findSession } from "./find-session.ts"
import { listSessions, stampSessions } from "./list-sessions.ts"
import type { Migrations } from "./migrate-file.ts"
import { openSession } from "./open-session.ts"
import type { Sessions } from "./session.ts"
import type { SessionParts } from "./session-parts.ts"
import { startSession } from "./start-session.ts"
import { validateSessions } from "./validate-sessions.ts"

export type SessionsOptions = {
  /** The folder of all sessions; it need not exist yet. */
  folder: string
  now: () => Date
  /** Eight random hexadecimal digits. */
  makeHex: () => string
  warn: (message: string) => void
  embed?: SessionParts["embed"]
  migrations?: Migrations
}

/** The sessions of a repository. Nothing is made before the first session starts. */
export function openSessions({ folder, makeHex, ...options }: SessionsOptions): Sessions {
  const openIn = (id: string, setAside?: boolean) => openSession({ ...options, id, folder: join(folder, id), setAside })
  return {
    folder,
    start: async (request) => openIn(startSession(folder, request, options.now(), makeHex)),
    open: async (id, { setAside, newest } = {}) =>
      openIn(findSession(folder, id, { newest: newest === true }), setAside),
    list: async (which) => listSessions(folder, which),
    stamp: async () => stampSessions(folder),
    cleanup: (limits) => cleanupSessions(folder, options.now(), limits),
    validate: async (paths) => validateSessions(folder, paths),
  }
}
