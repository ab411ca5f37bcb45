import { sha256 } from "@noble/hashes/sha256"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import { collapseWhiteSpace } from "./source-text.ts"

/** A task by its words alone: white space and case do not make another one. */
export function taskHashOf(task: string): string {
  return bytesToHex(sha256(utf8ToBytes(collapseWhiteSpace(task).toLowerCase()))).slice(0, 16)
}
