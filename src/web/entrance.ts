import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

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
      if (isUsed || !isSame(shown, token)) return undefined
      isUsed = true
      return key
    },
    isInside: (cookie) => cookie !== undefined && isSame(cookie, key),
  }
}

function makeSecret(): string {
  return randomBytes(32).toString("base64url")
}

/** Takes as long for one that is nearly right as for any other. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
