import type { LoginAnswer } from "../../src/recall/browse/app-api.ts"

const place = "drey-key"

/**
 * What the local app's server asks for with each request. It is kept for this origin, which the port is part of: a cookie would be sent to
 * every other port of the machine. A team's server knows who asks by its cookie.
 */
export function keyHeaders(): Record<string, string> {
  const key = localStorage.getItem(place) // each time: another tab may have come in by a newer link
  return key === null ? {} : { "x-drey-key": key }
}

/** Exchanges the token of the link, which is good once, for the key; who has a key already may use an old link as well. */
export async function enterByLink(): Promise<void> {
  const token = new URLSearchParams(location.search).get("token")
  if (token === null || location.pathname !== "/") return
  history.replaceState(null, "", "/")
  const headers = { "content-type": "application/json" }
  const answer = await fetch("/api/login", { method: "POST", headers, body: JSON.stringify({ token }) })
  if (answer.ok) localStorage.setItem(place, ((await answer.json()) as LoginAnswer).key)
}
