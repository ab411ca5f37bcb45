/** A file that a call changes; `text` has a slash at both ends and between the parts. */
export type ChangedPath = { text: string; isFromRoot: boolean }

const longestPath = 1000

export function changedPath(path: string): ChangedPath {
  const plain = path.slice(-longestPath).replaceAll("\\", "/")
  return { text: `/${plain.replace(/^(?:\.?\/)+/, "")}/`, isFromRoot: !/^(?:[A-Za-z]:)?\//.test(plain) }
}

/**
 * Whether a changed file is one that a pattern means: the file itself, one below the folder, or one that fits the globs. A pattern without a
 * slash means any file or folder of that name. A path that does not begin at the root of the repository has to hold the pattern.
 */
export function isInPath({ text, isFromRoot }: ChangedPath, pattern: string): boolean {
  const star = pattern.indexOf("*")
  if (star !== -1) return text.includes(`/${pattern.slice(0, star)}`) && globOf(pattern).test(text)
  return isFromRoot && pattern.includes("/") ? text.startsWith(`/${pattern}/`) : text.includes(`/${pattern}/`)
}

function globOf(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*\/?|\*)/).map((part) => {
    if (part === "*") return "[^/]{0,200}"
    return part.startsWith("**") ? ".{0,1000}" : part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&")
  })
  return new RegExp(`/${parts.join("")}/`)
}
