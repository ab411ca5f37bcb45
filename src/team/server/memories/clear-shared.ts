import { parseMemoryKey } from "../../../formats/memory-key.ts"
import { parsePathPrefix } from "../../../formats/path-prefix.ts"
import { clearMemoryText, clearName } from "../../../store/clear-words.ts"
import type { ClearedWords } from "../../../store/propose-memory.ts"
import type { SharedMemory } from "../../api.ts"
import { refuse } from "../refusal.ts"

/** The words through the gate, whoever has looked at them before. A refusal names the rule, never the content. */
export function clearShared({ text, key, pathPrefix }: SharedMemory): ClearedWords {
  const cleared = clearMemoryText(text)
  if (cleared.kind === "refused")
    return refuse(422, "withheld", `The text holds what no memory may hold: ${cleared.reason}.`)
  if (cleared.text === "") return refuse(422, "empty", "Nothing is left of the text.")
  const names = {
    key: clearName(parseMemoryKey(key ?? "")),
    pathPrefix: clearName(parsePathPrefix(pathPrefix ?? "")),
  }
  if ((names.key === undefined) !== (key === null)) return refuse(422, "key-unusable", "The key cannot be kept.")
  if ((names.pathPrefix === undefined) !== (pathPrefix === null))
    return refuse(422, "path-unusable", "The path cannot be kept.")
  return { text: cleared.text, ...names }
}

/** What the schema cannot say: which parts go together. */
export function checkShared({ scope, project, pathPrefix, kind, polarity, status }: SharedMemory): void {
  if ((scope === "global") !== (project === null))
    refuse(422, "place-unusable", "A memory has a project unless its scope is global.")
  if ((scope === "repo_path") !== (pathPrefix !== null))
    refuse(422, "place-unusable", "A memory has a path if its scope is repo_path, and only then.")
  if (kind === "guard" && polarity !== -1) refuse(422, "polarity-unusable", "A guard speaks against something.")
  if (status === "deprecated") refuse(422, "ended", "What has ended cannot be shared.")
}
