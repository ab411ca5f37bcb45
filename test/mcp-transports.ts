import { type Message, startMcp, startMcpHttp } from "./mcp-server.ts"

export type Ask = (method: string, params?: object, id?: string | number) => Promise<Message>

/** For tests: the built server, asked the same questions over both transports. */
export const transports: Record<string, (cwd: string, args?: string[]) => Promise<Ask>> = {
  stdio: async (cwd, args = []) => startMcp(cwd, { args }).ask,
  HTTP: async (cwd, args = []) => {
    const { url, token } = await startMcpHttp(cwd, { args })
    let ids = 0
    let version: Record<string, string> = {}
    return async (method, params = {}, id = ids++) => {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          ...version,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      })
      const text = await response.text()
      const answer = text.startsWith("{") ? text : (/^data: (\{.*"id".*)$/m.exec(text)?.[1] ?? "{}")
      const message: Message = JSON.parse(answer)
      if (method === "initialize" && message.result)
        version = { "MCP-Protocol-Version": message.result.protocolVersion }
      return message
    }
  },
}

/** What a client says first. */
export function hello(protocolVersion: string): object {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
}
