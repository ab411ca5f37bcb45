/** As PostgreSQL writes an array of numbers. */
export function list(numbers: Iterable<number>): string {
  return `{${[...numbers].join(",")}}`
}

/** As PostgreSQL writes an array of texts. */
export function textList(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`
}
