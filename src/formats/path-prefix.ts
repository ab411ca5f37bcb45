/** A folder or file of the repository as a memory names it: relative, with slashes, none at its end; undefined for what leaves the repository, a pattern, or nothing. */
export function parsePathPrefix(text: string): string | undefined {
  const written = text.trim().replaceAll("\\", "/")
  if (/^(?:[/~]|[a-z]:)/i.test(written) || /[*?\p{Cc}]/u.test(written)) return undefined
  const parts: string[] = []
  for (const part of written.split("/")) {
    if (part === ".." && parts.pop() === undefined) return undefined
    if (part !== "" && part !== "." && part !== "..") parts.push(part)
  }
  return parts.length === 0 ? undefined : parts.join("/")
}
