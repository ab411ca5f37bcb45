/** `project.test.command`, `user.pref.test_style`: what a memory settles, in lower case; undefined for anything else. */
export function parseMemoryKey(text: string): string | undefined {
  const key = text.trim().toLowerCase()
  return /^(?:project|user)(?:\.[a-z][a-z0-9_]{0,39}){1,3}$/.test(key) ? key : undefined
}
