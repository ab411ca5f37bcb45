import { instantOfMoment } from "./instant-of-moment.ts"
import { quoted, type UnplacedProblem, warning } from "./unplaced-problem.ts"
import type { YamlPath } from "./yaml-document.ts"

/** Warns of fields that should hold a time and do not; they stay, and sort last. */
export function checkMoments(
  value: Record<string, unknown>,
  keys: readonly string[],
  path: YamlPath = [],
): UnplacedProblem[] {
  return keys.flatMap((key) => {
    const written = value[key]
    if (typeof written !== "string" || instantOfMoment(written) !== undefined) return []
    return warning(
      "invalid-timestamp",
      [...path, key],
      `${quoted(written)} is not a valid time, so the entry sorts last: write it as "2026-01-23T10:31:05.000Z".`,
    )
  })
}
