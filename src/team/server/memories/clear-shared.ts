import { parseMemoryKey } from "../../../formats/memory-key.ts"
import { parsePathPrefix } from "../../../formats/path-prefix.ts"
import { clearMemoryText, clearName } from "../../../store/clear-words.ts"
import type { ClearedWords } from "../../../store/propose-memory.ts"
import type { SharedMemory } from "../../api.ts"
import { refuse } from "../refusal.ts"

/** Runs the governance check on the server too. A refusal names the rule, never the content. */
export function clearShared({ text, key, pathPrefix }: SharedMemory): ClearedWords {
  const cleared = clearMemoryText(text)
  if (cleared.kind === "refused")
    return refuse(422, "withheld", `The text contains sensitive content: ${cleared.reason}.`)
  if (cleared.text === "") return refuse(422, "empty", "The text is empty after redaction.")
  const names = {
    key: clearName(parseMemoryKey(key ?? "")),
    pathPrefix: clearName(parsePathPrefix(pathPrefix ?? "")),
  }
  if ((names.key === undefined) !== (key === null)) return refuse(422, "key-unusable", "The key is invalid.")
  if ((names.pathPrefix === undefined) !== (pathPrefix === null))
    return refuse(422, "path-unusable", "The path is invalid.")
  return { text: cleared.text, ...names }
}

/** Constraints across fields. */
export function checkShared({ scope, project, pathPrefix, kind, polarity, status }: SharedMemory): void {
  if ((scope === "global") !== (project === null))
    refuse(422, "place-unusable", "A memory needs a project unless its scope is global.")
  if ((scope === "repo_path") !== (pathPrefix !== null))
    refuse(422, "place-unusable", "A path is required for the scope repo_path and not allowed for others.")
  if (kind === "guard" && polarity !== -1) refuse(422, "polarity-unusable", "A guard must have polarity -1.")
  if (status === "deprecated") refuse(422, "ended", "An ended memory cannot be shared.")
}
