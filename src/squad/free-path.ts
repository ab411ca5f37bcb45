import type { Draft } from "./draft.ts"

/** The path itself, or one beside it with a number, that no file of a team folder will have. */
export function freePath(draft: Draft, path: string): string {
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : path.replace(/(\.md)?$/i, `-${number}$1`)
    if (draft.text(free) === null) return free
  }
}
