import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import { readTextFile } from "../../disk/read-text-file.ts"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { generated } from "../../governance/cleared.ts"
import { gitPath, gitSetting, topOf } from "./git-questions.ts"
import type { InstalledFile } from "./merge-driver.ts"
import { runningDrey } from "./running-drey.ts"

export type HookPlan = InstalledFile & { reason: string; text: string; at: string }

const mark = '# Written by "drey init --hook"; delete this file to be rid of it.'

/** Plans the pre-commit hook; undefined outside git. A hook that Drey did not write is left unchanged. */
export function planCommitHook(root: string): HookPlan | undefined {
  const top = topOf(root)
  const folder = gitPath(root, "hooks")
  if (top === undefined || folder === undefined) return undefined
  const text = hookText(relative(top, root))
  const at = join(folder, "pre-commit")
  const path = relative(root, at)
  const keep = (reason: string): HookPlan => ({ path, change: "kept", reason, text, at })
  if (gitSetting(root, "core.hooksPath") !== undefined)
    return keep('git uses another hooks folder (core.hooksPath); add "drey validate --staged" there')
  if (!existsSync(at)) return { path, change: "created", reason: "checks entries before a commit", text, at }
  const present = readTextFile(at).text
  if (present === text) return keep("up to date")
  if (!present.includes(mark)) return keep('another hook exists; add "drey validate --staged" to it')
  return { path, change: "updated", reason: "checks entries before a commit", text, at }
}

export function installCommitHook({ change, text, at }: HookPlan): void {
  if (change !== "kept") writeFileAtomic(at, generated(text), { mode: 0o755 })
}

/** git runs the hook at the top of the working tree. A missing Drey never blocks a commit. */
function hookText(below: string): string {
  const validate = `validate --staged${below === "" ? "" : ` --root ${quote(below)}`}`
  const own = runningDrey()
  const [node = "", script = ""] = own?.map(quote) ?? []
  const otherwise = own ? `if [ -x ${node} ] && [ -f ${script} ]; then exec ${node} ${script} ${validate}; fi\n` : ""
  return `#!/bin/sh
# Checks what is staged of the team's memory before each commit.
${mark}
git diff --cached --name-only | grep -Eq '(^|/)\\.(squad|ai-team)/' || exit 0
if command -v drey >/dev/null 2>&1; then exec drey ${validate}; fi
${otherwise}echo "drey was not found; the team's memory was not checked" >&2
`
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
