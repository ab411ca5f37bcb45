import { existsSync } from "node:fs"
import { copyFileVerified } from "../disk/write-file-atomic.ts"
import { editYaml } from "../formats/session/edit-yaml.ts"
import { readYaml } from "../formats/session/read-yaml.ts"
import type { YamlDocument, YamlEdit } from "../formats/session/yaml-document.ts"

/** By an older major version, the edits that make the next one of a file. The last of them sets `version`. */
export type Migrations = Readonly<Record<string, (document: YamlDocument) => YamlEdit[]>>

/** Version 1 is the first. */
export const migrations: Migrations = {}

/** The text in the newest version that can be made of it, and the version that it had before. */
export function migrateText(text: string, migrations: Migrations): { text: string; from: string | undefined } {
  let migrated = text
  let from: string | undefined
  for (let steps = Object.keys(migrations).length; steps > 0; steps--) {
    const reading = readYaml(migrated)
    if (reading.kind === "broken") break
    const version = majorOf(reading.document.value.version)
    const migrate = Object.hasOwn(migrations, version) ? migrations[version] : undefined
    if (!migrate) break
    migrated = editYaml(reading.document, migrate(reading.document))
    from ??= version
  }
  return { text: migrated, from }
}

/** Keeps an older file as it was, once, before it is written in this version. */
export function backUpBeforeMigration({
  path,
  migratedFrom,
}: {
  path: string
  migratedFrom: string | undefined
}): void {
  if (migratedFrom === undefined) return
  const backup = `${path}.v${migratedFrom}.bak`
  if (!existsSync(backup)) copyFileVerified(path, backup)
}

function majorOf(version: unknown): string {
  return String(version).split(".")[0] ?? ""
}
