import { basename, dirname } from "node:path"
import { generated } from "../../governance/cleared.ts"
import { detectForbidden } from "../../governance/detect-forbidden.ts"
import type { Work } from "../tidy/work.ts"
import type { ForbiddenLine } from "./read-inbox.ts"

export type Quarantined = { path: string; to: string; lines: ForbiddenLine[] }

const folder = "decisions/inbox/.quarantine"

/** Moves a file with forbidden content to a git-ignored folder that is never read, and logs the violated rule. */
export function quarantine(work: Work, file: { path: string; text: string; lines: ForbiddenLine[] }): Quarantined {
  const { draft, now } = work
  const name = safeName(basename(file.path), file.lines)
  const to = freePath(work, folder, name)
  draft.put(`${folder}/.gitignore`, generated("*\n"))
  const hasSafeName = name === basename(file.path)
  draft.move({ from: file.path, to, ...(hasSafeName ? {} : { back: freePath(work, dirname(file.path), name) }) })
  const report = `${folder}/report.txt`
  const time = now.toISOString()
  const said = file.lines.map(({ line, reason, rule }) => `${time} ${basename(to)}:${line} ${reason} (${rule})\n`)
  draft.put(report, generated(`${draft.text(report) ?? ""}${said.join("")}`))
  const [first] = file.lines
  work.actions.push({
    type: "cleanup",
    target: to,
    description: `quarantined because of line ${first?.line ?? 1}: ${first?.reason ?? "forbidden content"}`,
    bytesSaved: 0,
  })
  return { path: hasSafeName ? file.path : to, to, lines: file.lines }
}

/** The name may contain a secret too. */
function safeName(name: string, lines: readonly ForbiddenLine[]): string {
  return detectForbidden(name.replace(/\.md$/i, "")).length === 0 ? name : `line-${lines[0]?.line ?? 1}.md`
}

function freePath({ draft }: Work, parent: string, name: string): string {
  for (let number = 1; ; number++) {
    const path = `${parent}/${number === 1 ? name : name.replace(/(\.md)?$/i, `-${number}$1`)}`
    if (draft.text(path) === null && draft.moves().every(({ back }) => back !== path)) return path
  }
}
