import { types } from "node:util"

const mostObjects = 500

/** A key named `__proto__` that was assigned, not defined, gives an object properties it never had; finds the first such object in a value. */
export function findStrangePrototype(value: unknown): string | undefined {
  const waiting: unknown[] = [value]
  for (let seen = 0; waiting.length > 0 && seen < mostObjects; seen++) {
    const each = waiting.pop()
    if (typeof each !== "object" || each === null || types.isProxy(each) || ArrayBuffer.isView(each)) continue
    const prototype: unknown = Object.getPrototypeOf(each)
    if (isData(each, prototype)) waiting.push(...Object.values(each))
    else if (prototype !== null && !Object.hasOwn(prototype as object, "constructor"))
      return `an object has a prototype of its own: ${JSON.stringify(prototype).slice(0, 200)}`
  }
  return undefined
}

function isData(value: object, prototype: unknown): boolean {
  return prototype === Object.prototype || prototype === null || (Array.isArray(value) && prototype === Array.prototype)
}
