/** What the way through another sign-in came to, by the code that it comes back with; null when all is well. */
export function describeProblem(code: string | null): string | null {
  if (code === null) return null
  return sentences[code] ?? "Sign-in failed. Try again."
}

const sentences: Record<string, string> = {
  "sign-in-expired": "The sign-in expired or was started in another browser. Try again.",
  "provider-refused": "The identity provider rejected the sign-in. Try again.",
  "not-a-member": "You are not a member of this organisation yet. Ask an admin for an invitation.",
  "email-unverified": "The identity provider has not verified your email address.",
}
