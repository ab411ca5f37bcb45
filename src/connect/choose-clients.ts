import { allWirings } from "../clients/wiring/all-wirings.ts"
import type { WiredClientId, Wiring, WiringPlace, WiringScope } from "../clients/wiring.ts"
import { DreyError } from "../errors.ts"
import { didYouMean } from "../formats/did-you-mean.ts"
import type { Chosen } from "./wanted.ts"

export type Choice = Chosen & { reason: string }

/**
 * The named clients, found here or not; without names, those found on this machine and in this repository. `scopeOf`
 * decides for each which scope's files are used.
 */
export function chooseClients(
  names: readonly string[],
  place: Omit<WiringPlace, "scope">,
  scopeOf: (client: WiredClientId) => WiringScope,
): Choice[] {
  const wirings = names.length > 0 ? names.map(wiringNamed) : allWirings
  return [...new Set(wirings)].flatMap((wiring) => {
    const asked = scopeOf(wiring.id)
    const own = { ...place, scope: wiring.scopes.includes(asked) ? asked : (wiring.scopes[0] ?? asked) }
    const reason = wiring.find(own) ?? (names.length > 0 ? "you named it" : undefined)
    return reason === undefined ? [] : [{ wiring, place: own, root: asked === "user" ? null : place.root, reason }]
  })
}

/** By its id or a unique prefix of it: `claude`, `vscode`. */
export function wiringNamed(name: string): Wiring {
  const exact = allWirings.find(({ id }) => id === name)
  const close = allWirings.filter(({ id }) => id.startsWith(name) && name !== "")
  const [only] = close
  if (exact) return exact
  if (only && close.length === 1) return only
  const ids = allWirings.map(({ id }) => id)
  const meant = didYouMean(name, ids)
  throw new DreyError(`Drey cannot connect to "${name}"`, {
    hint: meant === undefined ? `Supported clients: ${ids.join(", ")}.` : `Did you mean ${meant}?`,
  })
}
