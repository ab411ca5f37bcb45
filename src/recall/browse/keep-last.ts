/** Keeps what was made last for as long as it is asked for by the same key; who asks meanwhile waits for the same. */
export function keepLast<Value>(): (key: string, make: () => Promise<Value>) => Promise<Value> {
  let kept: { key: string; value: Promise<Value> } | undefined
  return (key, make) => {
    if (kept?.key === key) return kept.value
    const value = make()
    const made = { key, value }
    kept = made
    value.catch(() => {
      if (kept === made) kept = undefined // the next one tries again; this one is told by whoever waits for it
    })
    return value
  }
}
