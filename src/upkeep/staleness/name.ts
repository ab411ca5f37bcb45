/** A name of something in the repository; `text` is its form in the text. */
export type Name = { text: string; told: boolean } & (PathName | CommandName | SymbolName)

/** `told`, above: the sentence itself mentions removing, moving or replacing, so its author knew. */
export type PathName = {
  kind: "path"
  /** With slashes, relative to some folder of the repository; a folder has no trailing slash. */
  path: string
  /** Whether it can only be a path: then it counts even if it cannot be checked. */
  isSure: boolean
}

export type CommandName = { kind: "command"; runner: Runner; target: string }

export type SymbolName = {
  kind: "symbol"
  /** The words that source code must contain: `Store.open` is `Store` and `open`. */
  words: string[]
}

/** The tool that runs a target, which decides where it is defined. */
export type Runner = "package" | "make" | "just" | "deno" | "task" | "cargo" | "python"

/** A name, and when its item was written, in milliseconds. */
export type Named<Kind extends Name["kind"] = Name["kind"]> = {
  name: Name & { kind: Kind }
  at: number | undefined
}
