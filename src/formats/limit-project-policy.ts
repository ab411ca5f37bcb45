import { lineOfKey } from "./line-of-key.ts"
import type { PartialPolicy } from "./parse-policy.ts"
import type { Policy } from "./policy.ts"

const modes = ["off", "propose", "auto"] as const // each lets out more than the one before

/**
 * What a project's policy file may say over the user's: it comes with a clone, so it decides neither what the writer does for this user
 * nor when the user is asked, and lets no more of what was learned into the repository than the user does. What goes beyond is taken out, with
 * a warning.
 */
export function limitProjectPolicy(
  given: PartialPolicy,
  file: { text: string; path: string },
  user: Policy,
): { policy: PartialPolicy; warnings: string[] } {
  const { writer, guards, graduate, ...policy } = given
  const warn = (key: string[], rest: string) =>
    `${file.path}:${lineOfKey(file.text, key)} ${key.join(".")} ${rest}; it was passed over`
  const own = Object.entries({ writer, guards }).flatMap(([table, keys]) =>
    Object.keys(keys ?? {}).map((key) => [table, key]),
  )
  const warnings = own.map((key) => warn(key, "counts only in the user's own memory_policy.toml"))
  if (graduate?.mode === undefined) return { policy, warnings }
  if (modes.indexOf(graduate.mode) <= modes.indexOf(user.graduate.mode))
    return { policy: { ...policy, graduate }, warnings }
  const refused = warn(["graduate", "mode"], `= "${graduate.mode}" would let out more than the user's own policy does`)
  return { policy, warnings: [...warnings, refused] }
}
