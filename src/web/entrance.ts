import { randomBytes } from "node:crypto"
import { isSameSecret } from "../disk/is-same-secret.ts"

/** Lets in the browser that shows the link's token: once. From then on a cookie speaks for it. */
export type Entrance = {
  /** The token of the link. */
  readonly token: string
  readonly cookieName: string
  /** What the cookie must hold from now on, if this is the token and nobody has shown it before. */
  enter(token: string): string | undefined
  isInside(cookie: string | undefined): boolean
}

/** Cookies do not know ports: each server has one of its own name. */
export function openEntrance(port: number): Entrance {
  const token = makeSecret()
  const key = makeSecret()
  let isUsed = false
  return {
    token,
    cookieName: `drey-${port}`,
    enter(shown) {
      if (isUsed || !isSameSecret(shown, token)) return undefined
      isUsed = true
      return key
    },
    isInside: (cookie) => cookie !== undefined && isSameSecret(cookie, key),
  }
}

function makeSecret(): string {
  return randomBytes(32).toString("base64url")
}
