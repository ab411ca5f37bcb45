/** What the demo prints, but for ids, which are made from dates, its dates, which are made from today's, and a token more or less from both. */
export function maskDemo(text: string): string {
  return text
    .replace(/\b(sem-|t-|m:)[0-9a-f]{6,12}\b/g, "$1…")
    .replace(/\b\d{4}-\d\d-\d\d\b/g, "DATE")
    .replace(/\b\d+ of 2,000 tokens/g, "TOKENS")
}
