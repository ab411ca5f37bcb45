import { randomBytes } from "node:crypto"
import { isSameSecret } from "../disk/is-same-secret.ts"

/**
 * Exchanges the one-time token in the URL for a key, which the browser then sends in a header. A cookie would be sent to every port of this
 * machine.
 */
export type Entrance = {
  /** The one-time token in the URL. */
  readonly token: string
  /** The key for further requests; undefined if the token is wrong or was used before. */
  enter(token: string): string | undefined
  isInside(key: string | undefined): boolean
}

/** Pages of other origins cannot send it: the browser's CORS preflight is not answered. */
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
