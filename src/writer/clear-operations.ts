import { clearText } from "../governance/cleared.ts"
import type { Operation } from "./writer.ts"

/**
 * Passes every text of every operation through the governance check. A refused operation is dropped, with the rule's
 * name and never its text.
 */
export function clearOperations(operations: readonly Operation[]): { operations: Operation[]; dropped: string[] } {
  const cleared: Operation[] = []
  const dropped: string[] = []
  for (const operation of operations) {
    const result = clearOperation(operation)
    if (typeof result === "string") dropped.push(`${operation.op}: ${result}`)
    else cleared.push(result)
  }
  return { operations: cleared, dropped }
}

/** A string is the rule that refused it. */
function clearOperation(operation: Operation): Operation | string {
  if (operation.op === "DEPRECATE") {
    const reason = clearText(operation.reason)
    return reason.kind === "refused" ? reason.reason : { ...operation, reason: reason.text }
  }
  const { key, pathPrefix } = operation
  const text = clearText(operation.text)
  if (text.kind === "refused") return text.reason
  for (const name of [key, pathPrefix]) {
    const clearing = name === undefined ? undefined : clearText(name, "reject")
    if (clearing?.kind === "refused") return clearing.reason
  }
  return { ...operation, text: text.text }
}
