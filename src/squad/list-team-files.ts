import { join } from "node:path"
import { listFolder } from "../disk/list-folder.ts"
import { isDreyName, isGitName } from "../disk/safe-paths.ts"
import type { StoreFolder } from "./find-store.ts"

/** A file of a team folder; `path` is relative to the folder, `shown` to the repository, both with forward slashes. */
export type TeamFile = { path: string; shown: string; absolute: string; folder: StoreFolder }

/** Folders below a team folder that are not team memory: conversion backups and sessions. */
export const setApart = ["backups", "sessions"] as const

/**
 * Every file below a team folder, sorted. Excludes Drey's locks, `.git`, conversion backups (which must not change) and sessions (which
 * have their own locks). Links are not followed. A folder that cannot be opened is listed as `<folder>/*.md`, so that reading it
 * reports why.
 */
export function listTeamFiles(folder: StoreFolder): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => !setApart.some((name) => path.startsWith(`${name}/`)))
}

/** The files of conversion backups, or of sessions. */
export function listFilesApart(folder: StoreFolder, name: (typeof setApart)[number]): TeamFile[] {
  return filesBelow(folder, "").filter(({ path }) => path.startsWith(`${name}/`))
}

function filesBelow(folder: StoreFolder, below: string): TeamFile[] {
  const fileAt = (path: string) => ({
    path,
    shown: `${folder.name}/${path}`,
    absolute: join(folder.path, path),
    folder,
  })
  const items = listFolder(join(folder.path, below))
  if (items === undefined) return [fileAt(`${below}*.md`)]
  return items
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((item) => {
      const path = `${below}${item.name}`
      if (isDreyName(item.name) || isGitName(item.name)) return []
      if (item.isDirectory()) return filesBelow(folder, `${path}/`)
      return item.isFile() ? [fileAt(path)] : []
    })
}
