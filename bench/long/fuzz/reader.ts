import type { Grammar } from "./grammar.ts"

/** Something of Drey's that reads what others wrote, with what it takes to try it out. */
export type Reader = {
  /** Also the folder of its kept cases. */
  name: string
  /** How many inputs it gets, compared with the others. */
  share: number
  /** Inputs as they should be, which others are made from. */
  examples(): readonly string[]
  /** What an input is made of, where some are to come from nothing. */
  grammar?: Grammar
  /** Its inputs are binary: a character represents a byte. */
  binary?: true
  /** Milliseconds that even an empty input may take; 50 unless said otherwise. */
  patience?: number
  /** The largest inputs for measuring how its time grows with size; 0: not measured. */
  largest?: number
  open(): OpenReader | Promise<OpenReader>
}

export type OpenReader = {
  /** What was read. Throws a `DreyError` for what it refuses; anything else that is thrown is a finding, broken promises too. */
  read(input: Buffer): unknown
  close?(): void | Promise<void>
}

/** For promises that a reader breaks. */
export function expectThat(isKept: boolean, promise: string): void {
  if (!isKept) throw new Error(`broken promise: ${promise}`)
}
