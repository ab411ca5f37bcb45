import { join } from "node:path"
import { renderJson } from "../../formats/render-json.ts"
import type { DreyCommand, JsonPart, WiredFile } from "../wiring.ts"
import { claudeHooks, claudeServer } from "./claude-code.ts"

/** Drey as a Claude Code plugin: a folder for `claude --plugin-dir` or a marketplace. */
export function claudePlugin(
  folder: string,
  command: DreyCommand,
  version: string,
  skills: readonly { name: string; text: string }[],
): WiredFile[] {
  const description = "One memory for a team of coding agents."
  const manifest = { name: "drey", version, description, author: { name: "Drey" }, license: "MIT" }
  const own = (path: string, purpose: string, text: string): WiredFile => ({
    path: join(folder, path),
    purpose,
    format: "own",
    text,
  })
  return [
    own(".claude-plugin/plugin.json", "plugin", toText(manifest)),
    own(".mcp.json", "MCP server", toText(documentOf([claudeServer(command)]))),
    own("hooks/hooks.json", "hooks", toText(documentOf(claudeHooks(command)))),
    ...skills.map(({ name, text }) => own(`skills/${name}/SKILL.md`, "skill", text)),
  ]
}

/** The parts as a separate document. */
function documentOf(parts: readonly JsonPart[]): unknown {
  const document: Record<string, Record<string, unknown>> = {}
  for (const { kind, path, value } of parts) {
    const [under = "", key = ""] = path
    document[under] = { ...document[under], [key]: kind === "item" ? [value] : value }
  }
  return document
}

function toText(value: unknown): string {
  return `${renderJson(value, { open: 2 })}\n`
}
