import type * as vscode from "vscode"
import type { Backend } from "../backend/backend.ts"
import type { DreyCall } from "../backend/drey-backend.ts"
import type { DreyChange } from "../desktop/drey-process.ts"
import type { Team, Teams } from "../teams.ts"

export type CapturedParts = {
  teams: Pick<Teams, "all">
  call: DreyCall
  backend: Pick<Backend, "undo" | "forget">
  window: Pick<typeof vscode.window, "showInformationMessage" | "showErrorMessage">
  l10n: Pick<typeof vscode.l10n, "t">
  isOn?: () => boolean
}

/** Shows a rule that Drey saved because the user stated it to an agent, and takes it out again if they want. */
export function capturedRules({ teams, call, backend, window, l10n, isOn = () => true }: CapturedParts) {
  const since = new Date().toISOString()
  const seen = new Set<string>()
  const find = async (): Promise<{ team: Team; key: string } | undefined> => {
    for (const team of teams.all()) {
      const { captured } = await call<{ captured: { key: string }[] }>("captured_rules", {
        project_root: team.folder.uri.fsPath,
        since,
      })
      const fresh = captured.find(({ key }) => !seen.has(key))
      for (const { key } of captured) seen.add(key)
      if (fresh) return { team, key: fresh.key }
    }
    return undefined
  }
  return {
    async look({ event, what, type, id, title }: DreyChange): Promise<void> {
      if (event !== "appeared" || what !== "entry" || type !== "directive" || !isOn()) return
      const found = await find()
      if (!found) return // the user saved it, here or at a terminal
      const undo = l10n.t("Undo")
      const chosen = await window.showInformationMessage(
        l10n.t("Drey saved a rule that you stated: “{0}”", title),
        undo,
      )
      if (chosen !== undo) return
      const undone = await backend.undo(found.team, found.key)
      // Something else was changed since: the rule alone is taken out.
      const ended = undone.kind === "done" ? undone : await backend.forget(found.team, id)
      if (ended.kind === "refused")
        await window.showErrorMessage(l10n.t("Not changed: {0}.", ended.reason.replace(/\.$/, "")))
      else await window.showInformationMessage(ended.summary)
    },
  }
}
