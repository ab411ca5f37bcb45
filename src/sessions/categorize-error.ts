import type { MachineState } from "../formats/session/sibling-files.ts"

type LastError = NonNullable<MachineState["lastError"]>
type Category = LastError["category"]

/** Words by which errors tell what they are; the first category that has one of them counts. */
const signs: readonly (readonly [Category, RegExp])[] = [
  ["timeout", /\b(?:timed? ?out|timeout|etimedout|deadline exceeded|took too long)\b/i],
  [
    "permission_error",
    /\b(?:permission denied|eacces|eperm|not permitted|access denied|forbidden|unauthori[sz]ed|40[13])\b/i,
  ],
  [
    "provider_error",
    /\b(?:rate limit(?:ed)?|quota|overloaded|context (?:length|window)|model not found|api (?:error|key)|429|50[0234]|econnrefused|econnreset|enotfound)\b/i,
  ],
  [
    "validation_error",
    /\b(?:invalid|validation|assertion(?:error)?|expected|type ?error|syntax ?error|does not match|schema|error ts\d{1,5}|cannot assign|not assignable)\b/i,
  ],
  [
    "tool_failure",
    /\b(?:command not found|enoent|no such file|cannot find (?:module|package)|exit(?:ed)?(?: with)? (?:code|status)|non-zero|segmentation fault|killed|spawn|is not (?:installed|in the image))\b/i,
  ],
]

/** What kind of trouble an error is, by its words. */
export function categorizeError(text: string): Category {
  return signs.find(([, sign]) => sign.test(text))?.[0] ?? "unknown"
}

/** What can be done about each kind of trouble, the likeliest first. */
export const recoveriesFrom: Readonly<Record<Category, LastError["recoveryOptions"]>> = {
  timeout: ["retry", "fallback", "abort"],
  provider_error: ["retry", "fallback", "abort"],
  permission_error: ["fallback", "skip", "abort"],
  validation_error: ["fallback", "retry", "abort"],
  tool_failure: ["fallback", "retry", "skip", "abort"],
  unknown: ["retry", "fallback", "skip", "abort"],
}
