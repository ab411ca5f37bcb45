import type { Store } from "./data.ts"

/**
 * One thing found. `confidence` is a score that can be compared across questions, where the arm has one beside the score that ranks;
 * `isAnswer` whether the arm itself would hand it out unasked.
 */
export type Hit = { id: string; score: number; confidence?: number; isAnswer?: boolean }

/** Who asks, and as of when: what belongs to another agent or came later may not be found. */
export type Scope = { agent?: string; asOf?: number }

/** A store as an arm holds it, ready to be asked. */
export type OpenedStore = {
  /** The best first, at most `limit`, fewer where the arm finds nothing more. An arm without scopes searches everything. */
  search(query: string, limit: number, scope?: Scope): Promise<Hit[]>
  /** The text that an agent would be handed for a task, where the arm makes one. */
  context?(task: string, budget: number): Promise<string>
  close(): Promise<void>
}

/** One way of finding documents: an engine, a peer, or Drey. */
export type Arm = {
  name: string
  kind: "drey" | "simple" | "peer"
  open(store: Store): Promise<OpenedStore>
  /** Where every query would take too long: ask this many of each table's, drawn with a seed. */
  sample?: number
}
