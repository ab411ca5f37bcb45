import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { isDreyName, isGitName, requireInRepository } from "../disk/safe-paths.ts"
import { DreyError, exitCode } from "../errors.ts"
import { alreadyStored, clearText, joinCleared } from "../governance/cleared.ts"
import { findInPath } from "../governance/find-sensitive.ts"
import { applyChange, currentText, withStore } from "./change.ts"
import { audit, type MemoryContext, settingsOf } from "./memory/memory-context.ts"

/** The files of a team folder as Squad's agents know them: texts under keys such as `agents/kane/history.md`. */
export type StateFiles = {
  /** Undefined when there is none. */
  read(key: string): string | undefined
  write(key: string, text: string): Promise<StateOutcome>
  append(key: string, text: string): Promise<StateOutcome>
  remove(key: string): Promise<StateOutcome>
  /** The names in a folder; none when it is not there. */
  list(folder: string): string[]
}

export type StateOutcome = { kind: "done"; key: string } | { kind: "refused"; reason: string } // never carries the content

/** What agents write passes the gate, is audited and can be undone; what a person sets up, and the archives, they cannot change. */
export function stateFiles(context: MemoryContext): StateFiles {
  const { folder, now } = context
  const change = async (given: string, verb: "write" | "append" | "delete", text: string): Promise<StateOutcome> => {
    const key = requireMutable(keyOf(given))
    const config = settingsOf(context)
    const clearing = clearText(text, config.personalData)
    const place = { title: "Team state", path: `${folder.name}/${key}`, provider: "local" }
    return withStore(folder, () => {
      if (clearing.kind === "refused") {
        const reason = `Rejected as forbidden content: ${clearing.reason}`
        audit(context, config, { ...place, class: "FORBIDDEN", action: "reject", reason })
        return { kind: "refused", reason }
      }
      const before = currentText(folder, key)
      const whole = verb === "append" ? joinCleared([alreadyStored(before ?? ""), clearing.text]) : clearing.text
      applyChange(folder, `state ${verb}`, [{ path: key, before, after: verb === "delete" ? null : whole }], now())
      const action = verb === "delete" ? "delete" : "write"
      audit(context, config, { ...place, class: "LOCAL", action, reason: "Allowed as mutable team state" })
      return { kind: "done", key }
    })
  }
  return {
    read: (key) => currentText(folder, keyOf(key)) ?? undefined,
    write: (key, text) => change(key, "write", text),
    append: (key, text) => change(key, "append", text),
    remove: (key) => change(key, "delete", ""),
    list(given) {
      const below = /^[\\/]*(?:\.squad[\\/]*)?$/.test(given.trim()) ? "" : keyOf(given)
      requireInRepository(folder, below)
      const place = join(folder.path, below)
      if (!existsSync(place) || !statSync(place).isDirectory()) return []
      return readdirSync(place)
        .filter((name) => !isDreyName(name))
        .sort()
    },
  }
}

/** A path below the team folder, however it was written. */
function keyOf(given: string): string {
  const key = given
    .replaceAll("\\", "/")
    .replace(/^\/+/, "")
    .replace(/^\.squad\//, "")
    .replace(/\/+$/, "")
  const parts = key.split("/")
  const isPath = key.length <= 300 && !/\p{Cc}/u.test(key) && parts.every((part) => !/^\.{0,2}$/.test(part))
  if (isPath && !parts.some((part) => isDreyName(part) || isGitName(part))) return key
  throw new DreyError("This is no key of team state", {
    hint: "Write a path below .squad/, such as decisions.md or agents/kane/history.md.",
    exitCode: exitCode.no,
  })
}

const mutable =
  /^(?:decisions\.md|casting\/(?:policy|registry|history)\.json|agents\/[\w-]+\/history\.md|(?:decisions\/inbox|log|orchestration-log|sessions|\.scratch|identity)\/.+)$/

function requireMutable(key: string): string {
  const { found } = findInPath(key)
  if (mutable.test(key) && found.length === 0) return key
  throw new DreyError(
    "State mutations are limited to mutable runtime state: decisions, inbox, casting policy, registry and history, logs, sessions, scratch files, agent history, and identity",
    { hint: "Archives are written by memory_archive, memories by memory_write.", exitCode: exitCode.no },
  )
}
