import * as vscode from "vscode"
import type { Health } from "../backend/backend.ts"

const askedKey = "drey.askedClients"

/** Offers to connect the coding agents on this machine that do not have the team's memory yet; once for each of them. */
export async function offerClients(context: vscode.ExtensionContext, { clients }: Health): Promise<void> {
  const asked = new Set(context.workspaceState.get<string[]>(askedKey, []))
  const open = clients.filter(({ id, connected }) => !connected && !asked.has(id))
  if (open.length === 0) return
  await context.workspaceState.update(askedKey, [...asked, ...open.map(({ id }) => id)])
  const connect = vscode.l10n.t("Connect…")
  const names = new Intl.ListFormat(vscode.env.language, { type: "conjunction" }).format(open.map(({ name }) => name))
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t("{0} could use this team's memory, too.", names),
    connect,
    vscode.l10n.t("Not now"),
  )
  if (chosen === connect) await vscode.commands.executeCommand("drey.connect")
}
