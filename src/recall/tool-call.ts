/** A tool call that an agent is about to make, as far as guards can check it. */
export type ToolCall = {
  tool: string
  /** The shell command, if the tool runs one. */
  command: string | undefined
  /** Files that the call would change. */
  paths: readonly string[]
  /** New text that the call would write, at most 4,000 characters. */
  text: string | undefined
}
