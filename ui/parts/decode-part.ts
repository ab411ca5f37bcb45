/** A part of the address, of which wouter has decoded all but what would change its parts; what cannot be decoded is returned unchanged. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
