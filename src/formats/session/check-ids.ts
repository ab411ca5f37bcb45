import { fault, quoted, type UnplacedProblem } from "./unplaced-problem.ts"

/** Two items of a list with one id: nothing that refers to it is clear then. */
export function checkIds(list: string, items: readonly { id: string }[]): UnplacedProblem[] {
  const seen = new Map<string, number>()
  return items.flatMap(({ id }, index) => {
    const first = seen.get(id)
    if (first === undefined) {
      seen.set(id, index)
      return []
    }
    const message = `The id ${quoted(id)} is taken by ${list}[${first}]: give this item a different id.`
    return fault("duplicate-id", [list, index, "id"], message)
  })
}
