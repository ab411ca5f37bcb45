import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileError } from "../disk/file-error.ts"
import { removeFromHome } from "../disk/home-files.ts"
import { withLock } from "../disk/lock.ts"
import type { LearningParts } from "./learning-parts.ts"

export type Forgetting = { forgotten: string[]; purged: boolean }

export type ForgetRequest = {
  purge: boolean
  reason: string
  now: string
  /** The folder with the indexes of all checkouts. */
  indexFolder: string
}

/** Ends memories; `purge` removes everything but their ids, so that they are not learned again. */
export async function forget(
  { store }: LearningParts,
  ids: readonly string[],
  { indexFolder, ...request }: ForgetRequest,
): Promise<Forgetting> {
  const forgotten = await store.forget(ids, request)
  if (request.purge && forgotten.length > 0) await removeIndexes(indexFolder)
  return { forgotten, purged: request.purge }
}

/**
 * An index keeps deleted text until the space is reused. It is derived data, and the next process that needs it
 * rebuilds it.
 */
async function removeIndexes(folder: string): Promise<void> {
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of new Set(names.flatMap((each) => /^[0-9a-f]+\.db/.exec(each)?.[0] ?? [])))
    await withLock(join(folder, `${name}.lock`), () => {
      for (const part of names.filter((each) => each.startsWith(name) && !/\.lock(?:-\w+)?$/.test(each)))
        remove(join(folder, part))
    })
}

function remove(path: string): void {
  try {
    removeFromHome(path)
  } catch (error) {
    throw fileError(path, error)
  }
}
