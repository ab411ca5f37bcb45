/** What the way through another sign-in came to, by the code that it comes back with; null when all is well. */
export function describeProblem(code: string | null): string | null {
  if (code === null) return null
  return sentences[code] ?? "Signing in did not work. Try again."
}

const sentences: Record<string, string> = {
  cancelled: "Signing in was cancelled.",
  expired: "Signing in took too long. Try again.",
  "unknown-member": "You are no member of this organisation yet. Ask an admin of it for an invitation.",
  "unknown-organisation": "There is no organisation of this name, or it has no other way to sign in.",
  "email-unverified": "The address of your account is not verified there, so nobody knows that it is you.",
}
