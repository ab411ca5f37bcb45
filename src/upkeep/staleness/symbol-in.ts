import type { SymbolName } from "./name.ts"

/** The function, class, constant, variable or flag in a code span; undefined if it might be a plain word. */
export function symbolIn(code: string): (SymbolName & { text: string }) | undefined {
  const flag = /^--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?=$|[ =<[])/.exec(code)?.[0]
  if (flag !== undefined)
    return { kind: "symbol", text: flag, words: [flag.indexOf("-", 2) > 0 ? flag.slice(2) : flag] }
  const match = /^(?:new )?\$?([\p{L}_][\w\p{L}]*(?:(?:\.|::|#|->|\?\.)[\p{L}_][\w\p{L}]*)*)(\((?:[^()]*)\))?$/u.exec(
    code,
  )
  const [, name, call] = match ?? []
  if (name === undefined) return undefined
  const words = name.split(/[^\w\p{L}]+/u).filter((word) => word.length > 1)
  const isSymbol = words.length > 0 && (call !== undefined || /::|->/.test(name) || words.some(isDistinct))
  return isSymbol ? { kind: "symbol", text: code, words } : undefined
}

/** `useStore`, `use_store`, `UseStore`, `MAX_SIZE`: forms that do not occur in prose. */
function isDistinct(word: string): boolean {
  return word.length >= 4 && (/\p{Ll}\p{Lu}|[\p{L}\d]_[\p{L}\d]/u.test(word) || /^\p{Lu}[\p{Ll}\d]+\p{Lu}/u.test(word))
}
