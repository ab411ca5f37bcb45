import type { Command } from "../../formats/commands/split-command.ts"
import { programOf } from "../../formats/commands/unwrap-command.ts"
import { headOf } from "./command-head.ts"

/** Whether a command line only shows existing content: its output is a file's or a log's, not its own errors. */
export function readsOnly(commands: readonly Command[]): boolean {
  return (
    commands.length > 0 &&
    commands.every(({ words }) => readers.has(programOf(words)) || readers.has(headOf(words) ?? ""))
  )
}

/** Whether a command reports a difference with its exit code. */
export function compares(commands: readonly Command[]): boolean {
  return commands.some(({ words }) => comparing.has(programOf(words)) || comparing.has(headOf(words) ?? ""))
}

/** Whether a command answers "no" with its exit code: grep without a match, `test` of a missing file. */
export function answersByExitCode(commands: readonly Command[]): boolean {
  return commands.some(({ words }) => answering.has(programOf(words)) || answering.has(headOf(words) ?? ""))
}

const readers = new Set([
  ..."cat bat head tail less more sed awk grep egrep fgrep rg ag find fd ls tree jq yq wc sort uniq cut tr stat file which where type".split(
    " ",
  ),
  ..."echo printf cd pushd pwd env printenv date strings od xxd hexdump diff cmp column nl tac journalctl get-content gc".split(
    " ",
  ),
  ..."select-string get-childitem gci dir test [ whoami hostname uname ps df du select-object sls measure-object true".split(
    " ",
  ),
  "git log",
  "git show",
  "git diff",
  "git status",
  "git blame",
  "git branch",
  "git grep",
  "docker logs",
  "docker ps",
  "docker compose logs",
  "kubectl logs",
  "kubectl get",
  "kubectl describe",
  "gh run view",
  "gh pr view",
  "gh pr diff",
  "gh issue view",
])

const answering = new Set([
  ..."grep egrep fgrep rg ag test [ [[ which where command type pgrep lsof select-string findstr".split(" "),
  "git grep",
  "git config",
  "git check-ignore",
  "git show-ref",
])

const comparing = new Set(["diff", "cmp", "git diff"])
