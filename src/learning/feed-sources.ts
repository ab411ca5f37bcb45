import { statSync } from "node:fs"
import { sha256 } from "../disk/sha256.ts"
import type { StoreEntry } from "../squad/collect-entries.ts"
import { findStore, type Store } from "../squad/find-store.ts"
import { listEntryFiles } from "../squad/list-files.ts"
import { readStore } from "../squad/read-store.ts"
import type { LearnedStore } from "../store/learned-store.ts"
import type { Memory } from "../store/memory.ts"
import type { FeedItem, FeedSource } from "./change-feed.ts"
import type { Project } from "./learning-parts.ts"

/** All learned memories of all projects. A use does not count as a change. */
export function memorySource(store: LearnedStore, projects: readonly Project[]): FeedSource {
  return {
    name: "memories",
    async stamp() {
      const versions = []
      for (const { id } of projects) versions.push(`${id} ${await store.version(id)}`)
      return versions.join("\n")
    },
    items: async () => (await store.memories({})).map(itemOfMemory),
  }
}

/** The team entries of a project. */
export function entrySource(project: Project, home: string, now: () => Date): FeedSource {
  return {
    name: `entries ${project.id}`,
    stamp: async () => looksOf(findStore(project.root, home)),
    async items() {
      const { entries } = readStore(findStore(project.root, home), now())
      return entries.map((entry) => itemOfEntry(entry, project.id))
    },
  }
}

function looksOf({ folders }: Store): string {
  const files = folders.flatMap(listEntryFiles)
  const looks = files.map(({ path, absolute }) => {
    const found = statSync(absolute, { bigint: true, throwIfNoEntry: false })
    return found ? `${path} ${found.size} ${found.mtimeNs} ${found.ctimeNs} ${found.ino}` : path
  })
  return sha256(looks.join("\n"))
}

function itemOfMemory({ id, project, text, status, version, tier, flags, pinned, expires }: Memory): FeedItem {
  const content = JSON.stringify([version, tier, flags, pinned, expires])
  const ended = status === "deprecated"
  return { what: "memory", id, project, title: text, status, firstStatus: "provisional", ended, content }
}

function itemOfEntry({ id, entry, source, supersededBy }: StoreEntry, project: string): FeedItem {
  const status = supersededBy.length > 0 ? "superseded" : source
  const ended = supersededBy.length > 0 || source === "archive"
  const content = sha256(JSON.stringify(entry))
  return { what: "entry", id, project, title: entry.title, status, firstStatus: source, ended, content }
}
