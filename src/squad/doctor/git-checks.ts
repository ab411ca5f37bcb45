import { gitSetting, ignoredPaths, mergeAttributes } from "../git/git-questions.ts"
import { type Examined, fail, type NamedCheck, nameSome, pass, type Verdict, warn } from "./check.ts"

/** Will git keep what Drey writes? */
export const gitChecks: NamedCheck[] = [
  { name: "merge driver", examine: examineMergeDriver },
  { name: "archive targets", examine: examineArchiveTargets },
]

function examineMergeDriver({ store, git }: Examined): Verdict {
  if (!git)
    return warn('There is no git here, so nothing keeps the team\'s memory. Run "drey init" again after "git init".')
  const folder = store.folders[0]?.name
  const wanted = ["decisions.md", "decisions-archive.md", "agents/any/history.md", "memory/audit.jsonl"]
  const attributes = mergeAttributes(
    store.root,
    wanted.map((path) => `${folder}/${path}`),
  )
  const without = [...attributes].filter(([, value]) => value !== "drey").map(([path]) => path)
  if (without.length > 0)
    return warn(`git merges these line by line, not by entry: ${nameSome(without)}. Run "drey init" here once.`)
  if (!gitSetting(store.root, "merge.drey.driver"))
    return warn('git is to merge with Drey, but this clone does not know the command. Run "drey init" here once.')
  return pass("git merges decisions, histories, archives and audit entry by entry.")
}

function examineArchiveTargets({ store, reading, git }: Examined): Verdict {
  if (!git) return pass("There is no git here that could ignore an archive.")
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
      `git ignores ${folder}/decisions.md: the team's memory stays on this machine. Remove the rule from .gitignore.`,
    )
  const lost = archives.filter((path) => ignored.has(path))
  if (lost.length === 0) return pass("Archives are committed like everything else.")
  return fail(`git ignores ${nameSome(lost)}: what is archived there would be lost. Remove the rule from .gitignore.`)
}
