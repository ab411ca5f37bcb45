/** How contexts name a learned memory, short enough to repeat: the beginning of its id. */
export function handleOf(id: string): string {
  return id.replace(/^m-([0-9a-f]{6})[0-9a-f]*$/, "m:$1")
}
