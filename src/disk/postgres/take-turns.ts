/**
 * One after the other by name, whatever became of the one before. Who writes for a tenant waits here and not on a connection: else a tenant
 * with much to write would leave none for the others.
 */
export function takeTurns(): <Result>(name: string, act: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>()
  return (name, act) => {
    const next = (last.get(name) ?? Promise.resolve()).then(act, act)
    const ended: Promise<void> = next
      .then(
        () => {},
        () => {}, // told to whoever asked for it
      )
      .then(() => {
        if (last.get(name) === ended) last.delete(name)
      })
    last.set(name, ended)
    return next
  }
}
