/** Something of the repository that a text names; `text` is how it stands there. */
export type Name = { text: string; told: boolean } & (PathName | CommandName | SymbolName)

/** `told`, above: the sentence itself speaks of removing, moving or replacing, so its author knew. */
export type PathName = {
  kind: "path"
  /** With slashes, from some folder of the repository; a folder has none at its end. */
  path: string
  /** Whether it can be nothing but a path: then it counts even where it cannot be checked. */
  isSure: boolean
}

export type CommandName = { kind: "command"; runner: Runner; target: string }

export type SymbolName = {
  kind: "symbol"
  /** The words that source code must hold for it: `Store.open` is `Store` and `open`. */
  words: string[]
}

/** Who runs a target, and so where it is defined. */
export type Runner = "package" | "make" | "just" | "deno" | "task" | "cargo" | "python"

/** A name, and when the item that has it was written, in milliseconds. */
export type Named<Kind extends Name["kind"] = Name["kind"]> = {
  name: Name & { kind: Kind }
  at: number | undefined
}
