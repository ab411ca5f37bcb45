import { randomBytes } from "node:crypto"
import { isSameSecret } from "../disk/hash.ts"

/**
 * Exchanges the one-time token in the URL for a key, which the browser then sends in a header. A cookie would be sent to every port of this
 * machine.
 */
export type OneTimeLogin = {
  /** The one-time token in the URL. */
  readonly token: string
  /** The key for further requests; undefined if the token is wrong or was used before. */
  enter(token: string): string | undefined
  isInside(key: string | undefined): boolean
}

/** Pages of other origins cannot send it: the browser's CORS preflight is not answered. */
export const keyHeader = "x-drey-key"

export function openOneTimeLogin(onEntered: () => void): OneTimeLogin {
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

/** The parts of a request that decide whether it is accepted. */
export type RequestHead = {
  path: string
  method: string
  host: string | undefined
  origin: string | undefined
  /** The Sec-Fetch-Site header. */
  fetchSite: string | undefined
  contentType: string | undefined
}

export type RequestRefusal = { status: 403 | 415; reason: string }

/** Refuses requests that do not come from the app: any page can send requests to this port, also by DNS rebinding. */
export function guardRequest(head: RequestHead, port: number): RequestRefusal | undefined {
  const { path, method, host, origin, fetchSite, contentType } = head
  if (!ownHosts(port).includes(host?.toLowerCase() ?? "")) return { status: 403, reason: "Unknown host." }
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, reason: "Requests from this origin are not served." }
  const isForeign = fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none"
  if (isForeign && isApi(path)) return { status: 403, reason: "Requests from another site are not served." }
  if (method === "POST" && !/^application\/json *(?:;|$)/i.test(contentType ?? ""))
    return { status: 415, reason: "The body must be application/json." }
  return undefined
}

function isApi(path: string): boolean {
  return path === "/api" || path.startsWith("/api/")
}

function ownHosts(port: number): string[] {
  return ["127.0.0.1", "localhost", "[::1]"].flatMap((name) =>
    port === 80 ? [name, `${name}:${port}`] : [`${name}:${port}`],
  )
}
