/** FNV-1a with a final mix. A collision in 4 billion gives a word a wrong frequency, nothing else. */
export function hashTerm(term: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13) || 1 // 0 means none
}
