import { join } from "node:path"
import { opencodePlugin } from "../clients/wiring/opencode-plugin.ts"
import type { Wiring, WiringScope } from "../clients/wiring.ts"
import { contextFileNames } from "./context-files.ts"
import type { Use } from "./file-record.ts"
import { piecesOf } from "./piece.ts"
import type { ConnectParts } from "./plan-connect.ts"
import { readSkills, wantSkills } from "./skill-files.ts"
import { type Chosen, type Wanted, wantSettings } from "./wanted.ts"

/** A file that may contain something of Drey's; folders below `top` that become empty are removed too. */
export type SweptFile = { path: string; uses: Use[]; top: string }

/** Every place where connecting any of these clients could have written something. */
export function sweptFiles(
  { machine, root, command, teamFolder }: ConnectParts,
  wirings: readonly Wiring[],
  scope: WiringScope | undefined,
): SweptFile[] {
  const files = new Map<string, SweptFile>()
  for (const each of scope === undefined ? (["project", "user"] as const) : [scope]) {
    const chosen = wirings.map(
      (wiring): Chosen => ({
        wiring,
        place: { ...machine, root, scope: each },
        root: each === "project" ? root : null,
      }),
    )
    const wanted = [
      ...wantSettings(chosen, command),
      ...wantSkills(chosen, readSkills(teamFolder)),
      ...chosen.filter(({ wiring }) => wiring.id === "opencode").map((one) => pluginOf(one, command)),
      ...(each === "project" ? chosen.flatMap((one) => blocksOf(one)) : []),
    ]
    for (const { path, ...use } of wanted) {
      const file = files.get(path) ?? { path, uses: [], top: each === "project" ? root : machine.home }
      file.uses.push(use)
      files.set(path, file)
    }
  }
  return [...files.values()]
}

function pluginOf({ wiring, place, root }: Chosen, command: ConnectParts["command"]): Wanted {
  const file = opencodePlugin(place, command)
  return { client: wiring.id, root, path: file.path, purpose: file.purpose, pieces: piecesOf(file) }
}

/** A block is recognized by its marks, whatever its text. */
function blocksOf({ wiring, place, root }: Chosen): Wanted[] {
  return contextFileNames.map((name) => ({
    client: wiring.id,
    root,
    path: join(place.root, name),
    purpose: "rules",
    pieces: [{ format: "block", text: "" }],
  }))
}
