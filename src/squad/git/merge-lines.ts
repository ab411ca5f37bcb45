import { join } from "node:path"
import { runGitOutside } from "../../disk/git.ts"
import { writeInHome } from "../../disk/home-files.ts"
import { makeTemporaryFolder, removeTemporaryFolder } from "../../disk/temporary-folder.ts"
import { DreyError } from "../../errors.ts"

/** Merges plain text line by line like git; if both sides changed the same lines, both are kept, ours first. */
export function mergeLines(texts: { base: string; ours: string; theirs: string }): string {
  const folder = makeTemporaryFolder("merge")
  try {
    const [ours, base, theirs] = (["ours", "base", "theirs"] as const).map((name) => {
      const path = join(folder, name)
      writeInHome(path, texts[name] === "" ? "" : `${texts[name]}\n`)
      return path
    }) as [string, string, string]
    const merged = runGitOutside(folder, ["merge-file", "-p", "--union", ours, base, theirs])
    if (!merged)
      throw new DreyError("git merge-file failed, so the lines were not merged", {
        hint: "Check that git is installed.",
      })
    return merged.toString("utf8").replace(/\n$/, "")
  } finally {
    removeTemporaryFolder(folder)
  }
}
