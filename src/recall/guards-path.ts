import { join } from "node:path"
import { hashTerm } from "../index/hash-term.ts"

/** Where the compiled guards of one checkout are kept, outside of it. Asked before every tool call: a hash of more bits takes longer than all else. */
export function guardsPath(dreyHome: string, storeFolderRealPath: string): string {
  const key = [storeFolderRealPath, `${storeFolderRealPath}/`].map((path) => (hashTerm(path) >>> 0).toString(16))
  return join(dreyHome, "guards", `${key.join("-")}.json`)
}
