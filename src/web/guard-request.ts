/** What a request says of itself, as far as it decides whether it is answered. */
export type RequestHead = {
  path: string
  method: string
  host: string | undefined
  origin: string | undefined
  /** The browser's own word on where a request comes from. */
  fetchSite: string | undefined
  contentType: string | undefined
}

export type Refusal = { status: 403 | 415; reason: string }

/** Any page may send requests to this port, and under a name of its own reach it: what does not come from the app itself is refused. */
export function guardRequest(head: RequestHead, port: number): Refusal | undefined {
  const { path, method, host, origin, fetchSite, contentType } = head
  if (!ownHosts(port).includes(host?.toLowerCase() ?? "")) return { status: 403, reason: "This host is not served." }
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, reason: "Requests from this origin are not served." }
  const isForeign = fetchSite !== undefined && fetchSite !== "same-origin" && fetchSite !== "none"
  if (isForeign && isApi(path)) return { status: 403, reason: "Requests from another site are not served." }
  if (method === "POST" && !/^application\/json *(?:;|$)/i.test(contentType ?? ""))
    return { status: 415, reason: "A body must be application/json." }
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
