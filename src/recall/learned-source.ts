import type { Item } from "../index/item.ts"

/** The learned memories that a checkout may see, as the index takes them in. */
export type LearnedSource = {
  /** Changes when one of them does. */
  stamp(): Promise<string>
  items(): Promise<Item[]>
}
