import { DreyError } from "../../errors.ts"

/** Normalizes a team server's address: no trailing slash, no credentials. */
export function serverAddress(text: string, options: { insecure: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !["http:", "https:"].includes(url.protocol))
    throw new DreyError("Invalid server address", { hint: "Write it as https://drey.example.com" })
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new DreyError("The server address must not contain a user name, token or query", {
      hint: `Use ${url.protocol}//${url.host}; the command asks for the token.`,
    })
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !options.insecure)
    throw new DreyError(`${url.origin} is not encrypted: the token could be read in transit`, {
      hint: "Use https://, or allow it with --insecure.",
    })
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)
}
