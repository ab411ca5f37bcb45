import type { Draft } from "./draft.ts"

/** The path, with a number appended if the draft already has such a file. */
export function freePath(draft: Draft, path: string): string {
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : path.replace(/(\.md)?$/i, `-${number}$1`)
    if (draft.text(free) === null) return free
  }
}
