import { askGit as ask } from "../../disk/git.ts"

/** A long history takes time, and no user waits for the result. */
const timeoutMs = 10 * 60_000

/** Git's output at the top of the repository; undefined when git fails or is missing. */
export function askGit(root: string, args: readonly string[], input = ""): Promise<Buffer | undefined> {
  return ask(root, args, { input, timeoutMs })
}

/** The fields of output with `-z`. */
export async function askGitFields(root: string, args: readonly string[], input = ""): Promise<string[]> {
  const printed = (await askGit(root, args, input))?.toString("utf8") ?? ""
  return printed.split("\0").filter(Boolean)
}
