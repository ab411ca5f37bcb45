/** Caches the last value by key; concurrent callers share one computation. */
export function keepLast<Value>(): (key: string, make: () => Promise<Value>) => Promise<Value> {
  let kept: { key: string; value: Promise<Value> } | undefined
  return (key, make) => {
    if (kept?.key === key) return kept.value
    const value = make()
    const made = { key, value }
    kept = made
    value.catch(() => {
      if (kept === made) kept = undefined // the next call retries; the waiting callers report this error
    })
    return value
  }
}
