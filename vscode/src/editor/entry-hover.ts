import * as vscode from "vscode"
import type { Backend, Uses } from "../backend/backend.ts"
import type { EntryRow } from "../model/team-model.ts"
import type { Team } from "../teams.ts"
import { relativeTime } from "../views/tree.ts"
import type { WorkerClient } from "../worker-client.ts"

export type DescribeEntry = (team: Team, row: EntryRow) => Promise<vscode.MarkdownString>

/** Who decided it and when, what replaced it, who was handed it and whether it helped. */
export function entryDescriber(worker: WorkerClient, backend: () => Backend): DescribeEntry {
  return async (team, row) => {
    const [detail, uses] = await Promise.all([worker.call("detail", team.root, row.id), backend().uses(team, row.id)])
    const text = new vscode.MarkdownString(undefined, true)
    text.supportThemeIcons = true
    text.isTrusted = { enabledCommands: ["vscode.open"] }
    const date = new Date(row.at).toISOString().slice(0, 10)
    text.appendMarkdown(`**${escapeMarkdown(row.title)}**\n\n`)
    text.appendMarkdown(
      `$(person) ${escapeMarkdown([row.author, ...(detail?.contributors ?? [])].join(", "))} · ${date} (${relativeTime(row.at, Date.now(), vscode.env.language)}) · ${row.type} · ${escapeMarkdown(row.scope)}\n\n`,
    )
    if (row.tags.length > 0) text.appendMarkdown(`$(tag) ${escapeMarkdown(row.tags.join(", "))}\n\n`)
    if (row.status === "expired")
      text.appendMarkdown(
        `$(clock) ${vscode.l10n.t("Due for review since {0}", detail?.expires?.slice(0, 10) ?? "")}\n\n`,
      )
    for (const id of row.supersededBy)
      text.appendMarkdown(`$(arrow-right) ${vscode.l10n.t("Superseded by {0}", linkTo(team, id))}\n\n`)
    for (const id of row.supersedes)
      text.appendMarkdown(`$(arrow-left) ${vscode.l10n.t("Supersedes {0}", linkTo(team, id))}\n\n`)
    if (uses) text.appendMarkdown(`$(graph) ${usesSentence(uses)}\n\n`)
    if (row.summary !== row.title) text.appendMarkdown("---\n\n").appendText(row.summary).appendMarkdown("\n\n")
    if (detail?.rationale)
      text
        .appendMarkdown(`*${vscode.l10n.t("Why")}:* `)
        .appendText(firstPart(detail.rationale))
        .appendMarkdown("\n\n")
    text.appendMarkdown(`\`${row.id}\``)
    return text
  }
}

/** Most entries are handed over whenever everything fits; what counts is how often one mattered for the task. */
export function usesSentence({ used, handed, last }: Uses): string {
  const parts = [
    used === 0
      ? vscode.l10n.t("Handed over {0} ×", handed)
      : vscode.l10n.t("Used {0} × of {1} handed over", used, handed),
  ]
  if (last)
    parts.push(vscode.l10n.t("last to {0} on {1}", last.agent ?? vscode.l10n.t("an agent"), last.at.slice(0, 10)))
  return parts.join(", ")
}

function linkTo(team: Team, id: string): string {
  const row = team.rows.find((each) => each.id === id)
  if (!row) return `\`${id}\``
  const target = team.uri(row.path).with({ fragment: `L${row.line}` })
  return `[${escapeMarkdown(row.title)}](${target.toString()})`
}

function firstPart(text: string): string {
  const [first = ""] = text.split(/\n[ \t]*\n/)
  return first.length > 400 ? `${first.slice(0, 400)}…` : first
}

export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-!|<>~$]/g, "\\$&")
}
