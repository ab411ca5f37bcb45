import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { isDreyName, isGitName, requireInRepository } from "../disk/safe-paths.ts"
import { DreyError, exitCode } from "../errors.ts"
import { readEntries } from "../formats/entries.ts"
import { alreadyStored, clearText, joinCleared } from "../governance/cleared.ts"
import { findInPath } from "../governance/redaction.ts"
import { applyChange, currentText, withStore } from "./change.ts"
import { contextAt } from "./change-plan.ts"
import { audit, type GovernedContext, settingsOf } from "./governed/governed-context.ts"
import { entryFileAt, readRoster } from "./team-files.ts"
import { markAgentRules, rulesIn } from "./team-rules.ts"

/** The files of a team folder as Squad's agents use them: texts by key, such as `agents/kane/history.md`. */
export type StateFiles = {
  /**
   * Undefined if the file does not exist.
   * @example const text = files.read("decisions.md")
   */
  read(key: string): string | undefined
  /**
   * Replaces a file.
   * @example await files.write("agents/kane/history.md", text)
   */
  write(key: string, text: string): Promise<StateOutcome>
  /**
   * Adds to the end of a file, or creates it.
   * @example await files.append("agents/kane/history.md", text)
   */
  append(key: string, text: string): Promise<StateOutcome>
  /**
   * Deletes a file.
   * @example await files.remove("agents/kane/history.md")
   */
  remove(key: string): Promise<StateOutcome>
  /**
   * The names in a folder; empty if it does not exist.
   * @example const agents = files.list("agents")
   */
  list(folder: string): string[]
}

export type StateOutcome = { kind: "done"; key: string } | { kind: "refused"; reason: string } // never contains the content

/** Agents' writes are checked, audited and can be undone. Agents cannot change the user's setup files or the archives. */
export function stateFiles(context: GovernedContext): StateFiles {
  const { folder, now } = context
  const change = async (given: string, verb: "write" | "append" | "delete", text: string): Promise<StateOutcome> => {
    const key = requireMutable(keyOf(given))
    if (Buffer.byteLength(text) > mostBytes) return { kind: "refused", reason: tooLong }
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
      if (Buffer.byteLength(whole) > mostBytes) return { kind: "refused", reason: tooLong }
      const written = leaveRulesToPerson(context, key, before ?? "", verb === "delete" ? "" : whole)
      if (written.kind === "refused") {
        audit(context, config, { ...place, class: "POLICY", action: "reject", reason: written.reason })
        return written
      }
      const after = verb === "delete" ? null : alreadyStored(written.text)
      applyChange(folder, `state ${verb}`, [{ path: key, before, after }], now())
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

/** Only the user can change rules: an agent's text for the decisions must keep them, and new rules in the inbox get a review mark. */
function leaveRulesToPerson(
  { folder, store, agent = "an agent" }: GovernedContext,
  key: string,
  before: string,
  after: string,
): { kind: "allowed"; text: string } | { kind: "refused"; reason: string } {
  const source = entryFileAt(folder, key)?.source
  if (source !== "decisions" && source !== "inbox") return { kind: "allowed", text: after }
  const context = contextAt(key, readRoster(store))
  if (source === "inbox") return { kind: "allowed", text: markAgentRules(after, context, agent, before) }
  const [old, rules] = [rulesIn(before, context), rulesIn(after, context)]
  const hasSameRules = old.size === rules.size && [...old].every((rule) => rules.has(rule))
  const kept = new Set(readEntries(after, context).entries.map(({ id }) => id))
  const isRemoving = readEntries(before, context).entries.some(({ id }) => !kept.has(id))
  if (hasSameRules && isRemoving)
    return { kind: "refused", reason: "only the user can remove or rename decisions. Append instead" }
  if (hasSameRules) return { kind: "allowed", text: after }
  const reason =
    "only the user can add, change or remove a rule. Propose a new one in decisions/inbox/ for the user to review, and do not change the others"
  return { kind: "refused", reason }
}

/** Far more than any file of a team folder needs. */
const mostBytes = 1024 * 1024
const tooLong = "the file would have more than 1 MB. Write it in parts, or archive older ones with memory_archive"

/** Normalizes a key to a path below the team folder. */
function keyOf(given: string): string {
  const key = given
    .replaceAll("\\", "/")
    .replace(/^\/+/, "")
    .replace(/^\.squad\//, "")
    .replace(/\/+$/, "")
  const parts = key.split("/")
  const isPath = key.length <= 300 && !/\p{Cc}/u.test(key) && parts.every((part) => !/^\.{0,2}$/.test(part))
  if (isPath && !parts.some((part) => isDreyName(part) || isGitName(part))) return key
  throw new DreyError("Not a valid team state key", {
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
