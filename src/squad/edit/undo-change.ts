import { DreyError } from "../../errors.ts"
import type { Store } from "../find-store.ts"
import { nextUndo, type StoreChange, undo } from "../undo.ts"
import type { EditOutcome, UndoOffer } from "./editor.ts"

/** The last change of the team's files by any command; undefined if there is none to undo. */
export function offerUndo(store: Store): UndoOffer | undefined {
  const changes = nextUndo(store)
  const [first] = changes
  return first && { key: keyOf(changes), summary: summarize(changes), at: first.createdAt }
}

/** Undoes the last change if it has this key. */
export async function undoChange(store: Store, key: string, now: Date): Promise<EditOutcome> {
  try {
    const undone = await undo(store, now, key.split("+"))
    if (undone.length === 0) return { kind: "changed" }
    return { kind: "done", id: null, summary: `Undid ${summarize(undone)}`, change: null }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { kind: "refused", reason: error.message } // a file was changed since, so nothing was undone
  }
}

function keyOf(changes: readonly StoreChange[]): string {
  return changes.map(({ id }) => id).join("+")
}

/** `accept, in decisions.md and decisions/inbox/rook-limits.md`. */
function summarize(changes: readonly StoreChange[]): string {
  const files = changes.flatMap((change) => change.files).filter((path) => !path.endsWith("/memory/index.json"))
  const named = files.slice(0, 2).map((path) => path.replace(/^\.[\w-]+\//, ""))
  const further = files.length > 2 ? ` and ${files.length - 2} more` : ""
  return `${changes[0]?.command}, in ${named.join(further === "" ? " and " : ", ")}${further}`
}
