import { fault, type UnplacedProblem, warning } from "./unplaced-problem.ts"

const currentMajor = 1

/** Newer files are read as far as they can be understood, and never changed; unknown ones are not read. */
export type VersionSupport = "current" | "newer" | "unknown"

/** What can be done with a file of this version. A version that is missing or no version at all is for the schema to tell. */
export function checkVersion(version: unknown): { support: VersionSupport; problems: UnplacedProblem[] } {
  if (typeof version !== "string" && typeof version !== "number") return { support: "current", problems: [] }
  const [, major] = /^(\d{1,6})(?:\.\d{1,6}){0,2}$/.exec(String(version)) ?? []
  if (major === undefined || Number(major) < currentMajor) {
    const message = `Unknown format version: write "${currentMajor}".`
    return { support: "unknown", problems: [fault("unknown-value", ["version"], message)] }
  }
  if (Number(major) > currentMajor) {
    const message = `The file has version ${major}, but this Drey supports version ${currentMajor}: it can be read but not changed. Upgrade Drey.`
    return { support: "newer", problems: [fault("newer-version", ["version"], message)] }
  }
  if (typeof version === "string") return { support: "current", problems: [] }
  const message = `The version is a number: write it in quotes, "${version}".`
  return { support: "current", problems: [warning("version-not-text", ["version"], message)] }
}
