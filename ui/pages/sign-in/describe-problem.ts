/** What the way through another sign-in came to, by the code that it comes back with; null when all is well. */
export function describeProblem(code: string | null): string | null {
  if (code === null) return null
  return sentences[code] ?? "Signing in did not work. Try again."
}

const sentences: Record<string, string> = {
  "sign-in-expired": "That took too long, or began in another browser. Try again.",
  "provider-refused": "The other side did not say who you are. Try again.",
  "not-a-member": "You are no member of this organisation yet. Ask an admin of it for an invitation.",
  "email-unverified": "Your address is not verified there, so nobody knows that it is you.",
}
