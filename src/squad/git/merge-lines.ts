import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { writeInHome } from "../../disk/home-files.ts"
import { makeTemporaryFolder, removeTemporaryFolder } from "../../disk/temporary-folder.ts"

/** Merges plain text line by line, as git does; where both sides changed the same lines, both stay, ours first. */
export function mergeLines(texts: { base: string; ours: string; theirs: string }): string {
  const folder = makeTemporaryFolder("merge")
  try {
    const [ours, base, theirs] = (["ours", "base", "theirs"] as const).map((name) => {
      const path = join(folder, name)
      writeInHome(path, texts[name] === "" ? "" : `${texts[name]}\n`)
      return path
    }) as [string, string, string]
    const merged = execFileSync("git", ["merge-file", "-p", "--union", ours, base, theirs], {
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
    })
    return merged.replace(/\n$/, "")
  } finally {
    removeTemporaryFolder(folder)
  }
}
