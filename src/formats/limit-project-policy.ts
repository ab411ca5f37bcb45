import { lineOfKey } from "./line-of-key.ts"
import type { PartialPolicy } from "./parse-policy.ts"
import type { Policy } from "./policy.ts"

const modes = ["off", "propose", "auto"] as const // each lets out more than the one before

/**
 * What a project's policy file may say over the user's: it comes with a clone, so it decides neither what the writer does for this user
 * nor when the user is asked, asks for no less proof before a memory counts, and lets no more of what was learned into the repository than the
 * user does. What goes beyond is taken out, with a warning.
 */
export function limitProjectPolicy(
  given: PartialPolicy,
  file: { text: string; path: string },
  user: Policy,
): { policy: PartialPolicy; warnings: string[] } {
  const { writer, guards, graduate, ...others } = given
  const warn = (key: string[], rest: string) =>
    `${file.path}:${lineOfKey(file.text, key)} ${key.join(".")} ${rest}; it was ignored`
  const own = Object.entries({ writer, guards }).flatMap(([table, keys]) =>
    Object.keys(keys ?? {}).map((key) => [table, key]),
  )
  const { policy, below } = withoutLess(others, user)
  const warnings = [
    ...own.map((key) => warn(key, "is allowed only in your own memory_policy.toml")),
    ...below.map(({ key, floor }) => warn(key, `is below the ${floor} of your own policy`)),
  ]
  if (graduate?.mode === undefined) return { policy, warnings }
  if (modes.indexOf(graduate.mode) <= modes.indexOf(user.graduate.mode))
    return { policy: { ...policy, graduate }, warnings }
  const refused = warn(["graduate", "mode"], `= "${graduate.mode}" would share more than your own policy allows`)
  return { policy, warnings: [...warnings, refused] }
}

type Below = { key: string[]; floor: number }

/** Without thresholds that ask for less than the user's do: how often a memory must have helped, and how sure it must be. */
function withoutLess(given: PartialPolicy, user: Policy): { policy: PartialPolicy; below: Below[] } {
  const below: Below[] = []
  const limit = <Table extends object>(
    place: string[],
    table: Table,
    floors: Partial<Record<string, number>>,
  ): Table => {
    const kept = Object.entries(table).filter(([key, value]) => {
      const floor = floors[key]
      const isLess = floor !== undefined && typeof value === "number" && value < floor
      if (isLess) below.push({ key: [...place, key], floor })
      return !isLess
    })
    return Object.fromEntries(kept) as Table
  }
  const { promotion, retrieval, commit, ...policy } = given
  const rules = Object.entries(promotion ?? {}).map(([name, rule]) => {
    const floors = user.promotion[name] ?? (name === "gotcha" ? user.promotion.pattern : undefined)
    return [name, limit(["promotion", name], rule ?? {}, floors ?? user.promotion.default)] as const
  })
  const { min_confidence } = user.retrieval
  const { drop_confidence } = user.commit
  return {
    policy: {
      ...policy,
      ...(promotion ? { promotion: Object.fromEntries(rules) } : {}),
      ...(retrieval ? { retrieval: limit(["retrieval"], retrieval, { min_confidence }) } : {}),
      ...(commit ? { commit: limit(["commit"], commit, { drop_confidence }) } : {}),
    },
    below,
  }
}
