import type { DreyCommand, Wiring, WiringPlace } from "../clients/wiring.ts"
import type { Use } from "./file-record.ts"
import { piecesOf } from "./piece.ts"

/** What a client needs in a file. */
export type Wanted = Use & { path: string }

/** A client to connect, where its settings are, and for which repository; null means all. */
export type Chosen = { wiring: Wiring; place: WiringPlace; root: string | null }

/** What clients need in their own settings. */
export function wantSettings(chosen: readonly Chosen[], command: DreyCommand): Wanted[] {
  return chosen.flatMap(({ wiring, place, root }) =>
    wiring.files(place, command).map((file) => ({
      client: wiring.id,
      root,
      path: file.path,
      purpose: file.purpose,
      pieces: piecesOf(file),
    })),
  )
}
