import { seeded } from "../../../test/seeded.ts"

/** Makes the choices of one input; the same name gives the same choices on every machine. */
export type Chooser = {
  /** A whole number from 0 up to, but without, the limit. */
  below(limit: number): number
  from<Item>(items: readonly Item[]): Item
  chance(share: number): boolean
}

export function chooser(name: string): Chooser {
  const next = seeded(hashOf(name))
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    from: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    chance: (share) => next() < share,
  }
}

function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash
}
