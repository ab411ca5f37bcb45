/** A key to press. */
export function Kbd({ keys }: { keys: string }) {
  return <kbd className="kbd">{keys}</kbd>
}
