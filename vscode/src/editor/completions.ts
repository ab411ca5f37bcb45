import * as vscode from "vscode"
import type { Teams } from "../teams.ts"
import type { WorkerClient } from "../worker-client.ts"

const fields: Record<string, () => string> = {
  type: () => vscode.l10n.t("decision, directive, memory or note"),
  timestamp: () => vscode.l10n.t("When it was decided, with the offset"),
  author: () => vscode.l10n.t("Who decided it: one name"),
  contributors: () => vscode.l10n.t("Further authors, separated by commas"),
  scope: () => vscode.l10n.t("Who it is for: team, project, agent:<name> or skill:<name>"),
  tags: () => vscode.l10n.t("Keywords, separated by commas"),
  summary: () => vscode.l10n.t("One sentence of at most 120 characters"),
  details: () => vscode.l10n.t("What was decided or learned"),
  rationale: () => vscode.l10n.t("Why"),
  related: () => vscode.l10n.t("A list of links: proposal, issue, decision, memory, pr, skill"),
  supersedes: () => vscode.l10n.t("The entries that this one replaces"),
  expires: () => vscode.l10n.t("When it is due for review; it stays active until then and after"),
  path: () => vscode.l10n.t("Limits the entry to a part of the repository"),
}
const types = ["decision", "directive", "memory", "note"]
const relations = ["proposal", "issue", "decision", "memory", "pr", "skill"]

/** Headings, field names and their values in the team's Markdown. */
export function entryCompletions(teams: Teams, selector: vscode.DocumentSelector): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    selector,
    {
      async provideCompletionItems(document, position) {
        const before = document.lineAt(position.line).text.slice(0, position.character)
        const team = teams.at(document.uri)
        const rows = team?.rows ?? []
        const unique = (values: string[]) => [...new Set(values)].sort()
        const values = (names: readonly string[], kind: vscode.CompletionItemKind, range?: vscode.Range) =>
          names.map((name) => {
            const item = new vscode.CompletionItem(name, kind)
            if (range) item.range = range
            return item
          })
        const heading = /^(#{1,3})\s*(\S*)$/.exec(before)
        if (heading && (heading[1]?.length ?? 0) <= 3) {
          const range = new vscode.Range(position.line, 0, position.line, position.character)
          return types.map((type) => entrySnippet(type, range))
        }
        const header = /^###\s+\S+:\s+(\w*)$/.exec(before)
        if (header) return values(types, vscode.CompletionItemKind.EnumMember)
        const field = /^\*\*(\w+):\*\*\s+(.*)$/.exec(before)
        const name = field?.[1]?.toLowerCase()
        const typed = field?.[2]?.split(/,\s*/).at(-1) ?? ""
        const word = new vscode.Range(
          position.line,
          position.character - typed.length,
          position.line,
          position.character,
        )
        if (name === "type") return values(types, vscode.CompletionItemKind.EnumMember, word)
        if (name === "author" || name === "contributors")
          return values(unique(rows.map(({ author }) => author)), vscode.CompletionItemKind.User, word)
        if (name === "tags")
          return values(unique(rows.flatMap(({ tags }) => tags)), vscode.CompletionItemKind.Keyword, word)
        if (name === "scope")
          return values(
            unique(["team", "project", ...rows.map(({ scope }) => scope)]),
            vscode.CompletionItemKind.EnumMember,
            word,
          )
        const relation = /^[-*]\s+(?:(decision|memory):\s*)?(\S*)$/i.exec(before)
        if (name === "supersedes" || name === "supersededby" || relation?.[1]) {
          const part = relation?.[1] ? (relation[2] ?? "") : typed
          const range = new vscode.Range(
            position.line,
            position.character - part.length,
            position.line,
            position.character,
          )
          return rows
            .filter(({ source }) => source === "decisions" || source === "archive")
            .map((row) => {
              const item = new vscode.CompletionItem(
                { label: row.id, description: row.title },
                vscode.CompletionItemKind.Reference,
              )
              item.filterText = `${row.id} ${row.title}`
              item.detail = row.title
              item.documentation = row.summary
              item.range = range
              item.sortText = String(9e15 - row.at)
              return item
            })
        }
        if (relation)
          return values(
            relations.map((each) => `${each}: `),
            vscode.CompletionItemKind.Keyword,
          )
        const label = /^(\*{0,2})(\w*)$/.exec(before)
        if (label) {
          const range = new vscode.Range(position.line, 0, position.line, position.character)
          return Object.entries(fields).map(([each, describe]) => {
            const item = new vscode.CompletionItem(`**${each}:**`, vscode.CompletionItemKind.Field)
            item.insertText = ["details", "related"].includes(each) ? `**${each}:**\n\n` : `**${each}:** `
            item.filterText = `**${each}:** ${each}`
            item.detail = describe()
            item.range = range
            item.command = { command: "editor.action.triggerSuggest", title: "" }
            return item
          })
        }
        return undefined
      },
    },
    "#",
    "*",
    ":",
    " ",
  )
}

function entrySnippet(type: string, range: vscode.Range): vscode.CompletionItem {
  const now = new Date()
  const offset = -now.getTimezoneOffset()
  const pad = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, "0")
  const local = new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 19)
  const time = `${local}${offset < 0 ? "-" : "+"}${pad(offset / 60)}${pad(offset % 60)}`
  const author = vscode.l10n.t("Author")
  const item = new vscode.CompletionItem(`### ${type}`, vscode.CompletionItemKind.Snippet)
  item.detail = vscode.l10n.t("A new {0}, stamped with the time", type)
  item.filterText = `### ${type}`
  item.range = range
  const rationale = type === "decision" ? `\n\n**rationale:** \${4:${vscode.l10n.t("Why")}}` : ""
  item.insertText = new vscode.SnippetString(
    `### ${time}: ${type}: \${1:${vscode.l10n.t("Title")}}\n\n**type:** ${type}  \n**timestamp:** ${time}  \n**author:** \${2:${author}}  \n**scope:** team  \n\n**summary:** \${3:${vscode.l10n.t("One sentence")}}${rationale}\n\n---\n$0`,
  )
  return item
}

/** Keys and values of session files, by their schema. */
export function sessionCompletions(worker: WorkerClient, selector: vscode.DocumentSelector): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    selector,
    {
      async provideCompletionItems(document, position) {
        const found = await worker.call(
          "completeSession",
          document.uri.path,
          document.getText(),
          position.line + 1,
          position.character,
        )
        return found.map(({ label, kind, documentation }) => {
          const item = new vscode.CompletionItem(
            label,
            kind === "key" ? vscode.CompletionItemKind.Property : vscode.CompletionItemKind.EnumMember,
          )
          if (kind === "key") item.insertText = `${label}: `
          item.documentation = documentation
          return item
        })
      },
    },
    " ",
    ":",
  )
}

export const tokenLegend = new vscode.SemanticTokensLegend(["dreyField", "dreyType", "dreyTime"])

/** Colours headings and fields of the lines that are shown. */
export function entryTokens(teams: Teams, worker: WorkerClient, selector: vscode.DocumentSelector): vscode.Disposable {
  return vscode.languages.registerDocumentRangeSemanticTokensProvider(
    selector,
    {
      async provideDocumentRangeSemanticTokens(document, range, token) {
        const team = await teams.sync(document, token)
        const path = team?.pathOf(document.uri)
        const builder = new vscode.SemanticTokensBuilder(tokenLegend)
        if (!team || path === undefined) return builder.build()
        const outline = await worker.call("outline", team.root, path)
        const shown = outline.filter(
          ({ line, endLine, format }) =>
            format === "sem" && line - 1 <= range.end.line && endLine - 1 >= range.start.line,
        )
        for (const { line, fields: known } of shown) {
          const heading = /^(###\s+)(\S+?)(:\s+)(\w+)(?=:)/.exec(document.lineAt(line - 1).text)
          if (heading) {
            const [, marks = "", time = "", gap = "", type = ""] = heading
            builder.push(line - 1, marks.length, time.length, 2, 0)
            builder.push(line - 1, marks.length + time.length + gap.length, type.length, 1, 0)
          }
          for (const [name, at] of [...known].sort(([, one], [, other]) => one - other)) {
            const text = at <= document.lineCount ? document.lineAt(at - 1).text : ""
            const label = /^\*\*([^*]+):?\*\*:?/.exec(text)?.[0] ?? ""
            if (label === "") continue
            builder.push(at - 1, 0, label.length, 0, 0)
            const value = text.slice(label.length).trim()
            const start = text.indexOf(value, label.length)
            if (value !== "" && name === "type") builder.push(at - 1, start, value.length, 1, 0)
            if (value !== "" && (name === "timestamp" || name === "expires"))
              builder.push(at - 1, start, value.length, 2, 0)
          }
        }
        return builder.build()
      },
    },
    tokenLegend,
  )
}
