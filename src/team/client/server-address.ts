import { DreyError } from "../../errors.ts"

/** The address of a team server as it is kept: no path at its end, nothing that could tell a secret. */
export function serverAddress(text: string, options: { insecure: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw new DreyError("That is not the address of a server", { hint: "Write it as https://drey.example.com" })
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new DreyError("The address of a server holds no name, token or question", {
      hint: `Write ${url.protocol}//${url.host}; the token is asked for.`,
    })
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !options.insecure)
    throw new DreyError(`${url.origin} is not encrypted: whoever is on the way could read the token`, {
      hint: "Use https://, or allow it with --insecure.",
    })
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)
}
