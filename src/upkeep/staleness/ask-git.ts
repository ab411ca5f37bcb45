import { askGit as ask } from "../../disk/git.ts"

/** A long history takes its time, and nobody waits for it. */
const timeoutMs = 10 * 60_000

/** What git prints at the top of the repository; undefined when it fails or is not there. */
export function askGit(root: string, args: readonly string[], input = ""): Promise<Buffer | undefined> {
  return ask(root, args, { input, timeoutMs })
}

/** The fields of what it prints under `-z`. */
export async function askGitFields(root: string, args: readonly string[], input = ""): Promise<string[]> {
  const printed = (await askGit(root, args, input))?.toString("utf8") ?? ""
  return printed.split("\0").filter(Boolean)
}
