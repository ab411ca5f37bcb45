import { createHash, timingSafeEqual } from "node:crypto"
import { sha256 as hashPlainly } from "@noble/hashes/sha256"
import { bytesToHex } from "@noble/hashes/utils"

/** The SHA-256 of a text or of bytes, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  // Of a few bytes it is had before Node's own would be loaded, which the command line loads only when it is called.
  if (content.length <= 1024)
    return bytesToHex(hashPlainly(typeof content === "string" ? Buffer.from(content) : content))
  return createHash("sha256").update(content).digest("hex")
}

/** Constant time, so that a secret cannot be guessed letter by letter. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
