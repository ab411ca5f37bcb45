import { randomBytes } from "node:crypto"
import { isSameSecret } from "../disk/is-same-secret.ts"

/**
 * Lets in the browser that shows the link's token: once. From then on it sends a key with each request, in a header: a cookie would go to
 * every port of this machine, whoever listens there.
 */
export type Entrance = {
  /** The token of the link. */
  readonly token: string
  /** The key to show from now on, if this is the token and nobody has shown it before. */
  enter(token: string): string | undefined
  isInside(key: string | undefined): boolean
}

/** The header with the key. No page of another origin can send it: the browser would ask first, and is not answered. */
export const keyHeader = "x-drey-key"

export function openEntrance(onEntered: () => void): Entrance {
  const token = makeSecret()
  const key = makeSecret()
  let isUsed = false
  return {
    token,
    enter(shown) {
      if (isUsed || !isSameSecret(shown, token)) return undefined
      isUsed = true
      onEntered()
      return key
    },
    isInside: (shown) => shown !== undefined && isSameSecret(shown, key),
  }
}

function makeSecret(): string {
  return randomBytes(32).toString("base64url")
}
