import { join } from "node:path"
import {
  type DreyCommand,
  findTrace,
  hookLine,
  hookMark,
  type JsonPart,
  mcpPart,
  mcpProgram,
  powershellLine,
  type Wiring,
  type WiringPlace,
} from "../client-wiring.ts"

/** Its hooks cannot reach the agent; they give Drey the user's prompt and the transcript's path. */
const events = ["pre_user_prompt", "post_cascade_response_with_transcript"]

export const windsurfWiring: Wiring = {
  id: "windsurf",
  name: "Windsurf",
  find: (place) =>
    findTrace(place, { programs: ["windsurf"], repository: [".windsurf"], home: [userFolder(place), ".windsurf"] }),
  scopes: ["project", "user"],
  files: (place, command) => [
    {
      path: join(userFolder(place), "mcp_config.json"), // it has no other
      purpose: "MCP server",
      format: "json",
      parts: [mcpPart(["mcpServers"], mcpProgram(command))],
    },
    {
      path: join(place.scope === "project" ? join(place.root, ".windsurf") : userFolder(place), "hooks.json"),
      purpose: "hooks",
      format: "json",
      parts: hookParts(command),
    },
  ],
  stillToDo: () => ["Windsurf reads its MCP servers at start-up. Press Refresh in the MCP panel of Cascade."],
  contextFiles: () => ["AGENTS.md"],
  loadsAllContextFiles: false,
  skillFolders: (place) => [
    join(place.scope === "project" ? join(place.root, ".windsurf") : userFolder(place), "skills"),
  ],
}

function hookParts(command: DreyCommand): JsonPart[] {
  return events.map((event) => ({
    kind: "item",
    path: ["hooks", event],
    value: {
      command: hookLine(command, "windsurf", event),
      powershell: powershellLine(command, "windsurf", event),
      show_output: false,
    },
    mark: hookMark("windsurf", event),
  }))
}

function userFolder({ home }: WiringPlace): string {
  return join(home, ".codeium", "windsurf")
}
