/** What an agent is about to do, as far as a guard can speak about it. */
export type ToolCall = {
  tool: string
  /** A shell command, if it is one. */
  command: string | undefined
  /** Files that it would change. */
  paths: readonly string[]
  /** New text that it would put there, at most 4,000 characters. */
  text: string | undefined
}
