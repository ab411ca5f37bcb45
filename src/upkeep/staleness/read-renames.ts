import { askGit, askGitFields } from "./ask-git.ts"

/** The renames of each commit, from old to new; the working tree is the commit "". */
export type Renames = Map<string, Map<string, string>>

/** Adds the renames of these commits, detected by content similarity. */
export async function readRenames(root: string, commits: readonly string[], known: Renames): Promise<void> {
  const wanted = [...new Set(commits)].filter((commit) => !known.has(commit))
  for (const commit of wanted) known.set(commit, new Map())
  if (wanted.includes("")) {
    const args = ["diff", "-M", "--diff-filter=R", "--name-status", "-z", "HEAD"]
    takeRenames(await askGitFields(root, args), known, "")
  }
  const committed = wanted.filter(Boolean)
  if (committed.length === 0) return
  const args = ["diff-tree", "--stdin", "-r", "-M", "--diff-filter=R", "--name-status", "-z"]
  const printed = (await askGit(root, args, `${committed.join("\n")}\n`))?.toString("utf8") ?? ""
  takeRenames(printed.split("\0").filter(Boolean), known, "")
}

function takeRenames(fields: readonly string[], known: Renames, before: string): void {
  let commit = before
  for (let at = 0; at < fields.length; at++) {
    const field = (fields[at] ?? "").trim()
    if (/^[0-9a-f]{40,64}$/.test(field)) commit = field
    else if (/^R\d{3}$/.test(field)) {
      const [from = "", to = ""] = fields.slice(at + 1, at + 3)
      known.get(commit)?.set(from.normalize("NFC"), to.normalize("NFC"))
      at += 2
    }
  }
}
