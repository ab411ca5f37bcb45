import { parsePathPrefix } from "../../formats/path-prefix.ts"

/** Those of the paths that lead into the repository, in the form in which memories name them. */
export function filesIn(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => parsePathPrefix(path) ?? []))]
}
