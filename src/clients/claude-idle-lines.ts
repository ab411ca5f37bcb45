/**
 * Whether a Claude Code line can be skipped unparsed. Its first bytes decide, since quotes inside a record are escaped.
 * A hook's line with one of our contexts is parsed for the context's id.
 */
export function isClaudeLineIdle(line: Buffer): boolean {
  const beginning = line.toString("latin1", 0, lookAhead)
  if (hasIdleKind.test(beginning)) return true
  if (isAttachment.test(beginning)) return !line.includes("<drey-context")
  return isThought.test(beginning) && !line.includes('{"type":"text"') && !line.includes('{"type":"tool_use"')
}

const lookAhead = 700
const hasIdleKind =
  /^\{"type":"(?:file-history-snapshot|queue-operation|last-prompt|api-request[a-z-]{0,20})"|"type":"progress","data":|"isSidechain":true/
const isAttachment = /"attachment":\{"type":/
const isThought = /"content":\[\{"type":"(?:redacted_)?thinking"/
