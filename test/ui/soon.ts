import { expect } from "vitest"

/** Asks again until it is as expected, for as long as a busy machine may need. */
export function soon<Value>(ask: () => Value | Promise<Value>) {
  return expect.poll(ask, { timeout: 20_000 })
}
