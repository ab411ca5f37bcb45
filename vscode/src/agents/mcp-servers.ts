import type { Disposable, Event } from "vscode"

/** A server as the extension knows it, whatever the editor's API is called. */
export type McpServer = { label: string; command: string; args: string[]; version: string | undefined; cwd: string }

/** What VS Code has from 1.101 on; the extension is built against 1.85, where it is not. */
type McpApi = {
  lm?: {
    registerMcpServerDefinitionProvider?(
      id: string,
      provider: { onDidChangeMcpServerDefinitions: Event<void>; provideMcpServerDefinitions(): unknown[] },
    ): Disposable
  }
  McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version?: string,
  ) => object
}

/** Offers Drey's MCP server to the agents of this editor, without a settings file. An editor without the API is left alone. */
export function registerMcpServers(
  editor: object,
  { onDidChange, servers }: { onDidChange: Event<void>; servers: () => McpServer[] },
): Disposable {
  const { lm, McpStdioServerDefinition: Definition } = editor as McpApi
  if (lm?.registerMcpServerDefinitionProvider === undefined || Definition === undefined) return { dispose() {} }
  return lm.registerMcpServerDefinitionProvider("drey", {
    onDidChangeMcpServerDefinitions: onDidChange,
    provideMcpServerDefinitions: () =>
      servers().map(({ label, command, args, version }) => new Definition(label, command, args, {}, version)),
  })
}
