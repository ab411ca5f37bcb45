import { type Clients, openClients } from "./drey/clients.ts"
import { type Contexts, openContexts } from "./drey/contexts.ts"
import { type Governed, openGoverned } from "./drey/governed.ts"
import { type Memories, openMemories } from "./drey/memories.ts"
import { openSearch, type Search } from "./drey/search.ts"
import { openServer, type ServerClient } from "./drey/server.ts"
import { openWorkingSessions, type WorkingSessions } from "./drey/sessions.ts"
import { openTeamFolder, type TeamFolder } from "./drey/team-folder.ts"
import { type DreyOptions, openProject } from "./project.ts"
import type { KeptIndexes } from "./recall/sync/kept-indexes.ts"

/** Everything Drey can do with one repository. */
export type Drey = {
  readonly root: string
  /** Without a team folder only sessions, clients and the server can be used. */
  readonly hasTeamFolder: boolean
  readonly context: Contexts
  readonly search: Search
  readonly team: TeamFolder
  readonly memories: Memories
  readonly governed: Governed
  readonly sessions: WorkingSessions
  readonly clients: Clients
  readonly server: ServerClient
  /**
   * Closes what is open; the next call opens it again.
   * @example await drey.close()
   */
  close(): Promise<void>
}

/**
 * Opens the memory of the repository around `root`. Nothing is read, and little is loaded, until a noun is used.
 * @example const drey = openDrey({ root: "." })
 */
export function openDrey(options: DreyOptions = {}): Drey {
  return openDreyWith(options, undefined)
}

/** The same with search indexes that stay open after `close`, for a process that opens Drey for one question after the other. */
export function openDreyWith(options: DreyOptions, keptIndexes: KeptIndexes | undefined): Drey {
  const project = openProject(options, keptIndexes)
  const server = openServer(project)
  return {
    root: project.root,
    get hasTeamFolder() {
      return project.store().folders.length > 0
    },
    context: openContexts(project),
    search: openSearch(project),
    team: openTeamFolder(project, server),
    memories: openMemories(project),
    governed: openGoverned(project),
    sessions: openWorkingSessions(project),
    clients: openClients(project),
    server,
    close: project.close,
  }
}
