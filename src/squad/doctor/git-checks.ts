import { gitSetting, ignoredPaths, mergeAttributes } from "../git/git-questions.ts"
import { type Examined, fail, type NamedCheck, nameSome, pass, type Verdict, warn } from "./check.ts"

/** Check that git commits and merges the files that Drey writes. */
export const gitChecks: NamedCheck[] = [
  { name: "merge driver", examine: examineMergeDriver },
  { name: "archive targets", examine: examineArchiveTargets },
]

function examineMergeDriver({ store, git }: Examined): Verdict {
  if (!git)
    return warn('Not a git repository, so the team\'s memory has no history. Run "git init", then "drey init" again.')
  const folder = store.folders[0]?.name
  const wanted = ["decisions.md", "decisions-archive.md", "agents/any/history.md", "memory/audit.jsonl"]
  const attributes = mergeAttributes(
    store.root,
    wanted.map((path) => `${folder}/${path}`),
  )
  const without = [...attributes].filter(([, value]) => value !== "drey").map(([path]) => path)
  if (without.length > 0)
    return warn(`git merges these files line by line, not by entry: ${nameSome(without)}. Run "drey init" once here.`)
  if (!gitSetting(store.root, "merge.drey.driver"))
    return warn('Drey\'s merge driver is not registered in this clone. Run "drey init" once here.')
  return pass("git merges decisions, histories, archives and audit entry by entry.")
}

function examineArchiveTargets({ store, reading, git }: Examined): Verdict {
  if (!git) return pass("Not a git repository, so no archive is ignored.")
  const folder = store.folders[0]?.name ?? ".squad"
  const agents = reading.files.filter(({ source, folder: { name } }) => source === "history" && name === folder)
  const archives = [
    `${folder}/decisions-archive.md`,
    `${folder}/decisions/archive/2026-Q1.md`,
    ...agents.map(({ path }) => path.replace(/history\.md$/, "history-archive.md")),
  ]
  const ignored = ignoredPaths(store.root, [`${folder}/decisions.md`, ...archives])
  if (ignored.has(`${folder}/decisions.md`))
    return warn(
      `git ignores ${folder}/decisions.md, so the team's memory stays on this machine. Remove the rule from .gitignore.`,
    )
  const lost = archives.filter((path) => ignored.has(path))
  if (lost.length === 0) return pass("git does not ignore the archives.")
  return fail(`git ignores ${nameSome(lost)}, so archived entries would be lost. Remove the rule from .gitignore.`)
}
