import type { EpisodeConsent } from "../../store/team-episodes.ts"
import type { TeamLedger } from "../../store/team-ledger.ts"
import type { UploadedEpisode } from "../api.ts"
import type { ServerTrouble } from "./ask-server.ts"
import { isFinal } from "./push-outbox.ts"
import type { TeamServer } from "./team-server.ts"
import { uploadEpisode } from "./upload-episode.ts"

/** The number of episodes acknowledged by the server; `trouble` is why the rest was not sent. */
export type EpisodePushing = { episodes: number; trouble: ServerTrouble | undefined }

const mostAtOnce = 20
/** Half of the server's body limit. */
const mostBytes = 4 * 1024 * 1024

/**
 * Sends the episodes of projects for which both the user and the team have enabled uploads. An episode is marked as sent only after the
 * server acknowledged it; the server dedupes by id if the acknowledgement was lost.
 */
export async function pushEpisodes(ledger: TeamLedger, server: TeamServer, userHome: string): Promise<EpisodePushing> {
  const pushing: EpisodePushing = { episodes: 0, trouble: undefined }
  if ((await ledger.consents()).length === 0) return pushing
  pushing.trouble = await noteAgreements(ledger, server)
  if (pushing.trouble) return pushing
  for (const consent of await ledger.consents()) {
    if (consent.isAgreed) pushing.trouble = await pushProject(ledger, server, { consent, userHome, pushing })
    if (pushing.trouble) return pushing
  }
  return pushing
}

/** Refreshes the server's side of every consent. */
export async function noteAgreements(ledger: TeamLedger, server: TeamServer): Promise<ServerTrouble | undefined> {
  const answer = await server.projects()
  if (answer.kind !== "answered") return answer
  const agreed = new Set(answer.value.projects.flatMap(({ id, episodes }) => (episodes ? [id] : [])))
  for (const { project } of await ledger.consents()) await ledger.noteAgreement(project, agreed.has(project))
  return undefined
}

type ProjectPush = { consent: EpisodeConsent; userHome: string; pushing: EpisodePushing }

async function pushProject(
  ledger: TeamLedger,
  server: TeamServer,
  { consent: { project, root }, userHome, pushing }: ProjectPush,
): Promise<ServerTrouble | undefined> {
  let atOnce = mostAtOnce
  for (;;) {
    const unsent = await ledger.unsentEpisodes(project, atOnce)
    if (unsent.length === 0) return undefined
    const sized = unsent.map((episode) => withSize(episode.id, uploadEpisode(episode, { root, userHome })))
    const unfit = sized.flatMap((each) => (each.kind === "unfit" ? [each.id] : []))
    if (unfit.length > 0) {
      await ledger.noteSent(unfit, { isRefused: true })
      continue
    }
    const batch = takeWhatFits(sized.filter((each) => each.kind === "fit"))
    const answer = await server.episodes(batch.map(({ upload }) => upload))
    const ids = batch.map(({ id }) => id)
    if (answer.kind === "answered") {
      await ledger.noteSent(ids, { isRefused: false })
      pushing.episodes += ids.length - answer.value.refused
      atOnce = mostAtOnce
    } else if (isNotAgreed(answer)) {
      await ledger.noteAgreement(project, false) // an administrator has just disabled it; shown in the status
      return undefined
    } else if (!isFinal(answer, "use")) {
      return answer
    } else if (ids.length > 1) {
      atOnce = Math.ceil(ids.length / 2) // the server rejects one of them, or the batch is too large
    } else {
      await ledger.noteSent(ids, { isRefused: true })
    }
  }
}

type Sized = { kind: "fit"; id: string; upload: UploadedEpisode; bytes: number } | { kind: "unfit"; id: string }
type Fit = Extract<Sized, { kind: "fit" }>

function withSize(id: string, upload: UploadedEpisode | undefined): Sized {
  const bytes = upload === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(upload))
  return upload === undefined || bytes > mostBytes ? { kind: "unfit", id } : { kind: "fit", id, upload, bytes }
}

/** The first episodes that fit into one request. */
function takeWhatFits(episodes: readonly Fit[]): Fit[] {
  let bytes = 0
  const end = episodes.findIndex((each) => {
    bytes += each.bytes
    return bytes > mostBytes
  })
  return end === -1 ? [...episodes] : episodes.slice(0, end)
}

function isNotAgreed(trouble: ServerTrouble): boolean {
  return trouble.kind === "refused" && trouble.code === "episodes-not-agreed"
}
