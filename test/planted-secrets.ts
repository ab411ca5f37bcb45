/** A secret that a test put somewhere, by what must not be found anywhere else. */
export type Planted = { what: string; pieces: string[] }

/** The kinds of `canaries` that no file may hold, whatever it is about. */
export const secretReasons = [
  "private key material",
  "access token",
  "credential-like assignment",
  "connection string secret",
  "PII-like identifier",
] as const

/** What must not be found anywhere: the ends of every part of a secret that cannot occur by chance. */
export function piecesOf(secret: string): string[] {
  const ownPart = secret.replace(/eyJ[A-Za-z0-9]+\.|@[\w.]+/, "") // the start of every JWT and a host name are not secret
  const runs = ownPart.match(/[A-Za-z0-9+/_~!&]{7,}/g) ?? []
  return runs.filter((run) => /\d/.test(run) && /[A-Za-z]{2}/.test(run)).map((run) => run.slice(-12))
}

export function leaksIn(texts: Record<string, string>, planted: readonly Planted[]): string[] {
  return Object.entries(texts).flatMap(([where, text]) =>
    planted.filter(({ pieces }) => pieces.some((piece) => text.includes(piece))).map(({ what }) => `${what}: ${where}`),
  )
}
