import { z } from "zod"
import { type Episode, type EpisodeEvent, flushReasons, frustrations } from "../../../episodes/episode.ts"
import { statsOf } from "../../../episodes/stats.ts"
import { clearWithMarks } from "../../../governance/cleared.ts"
import { insertEpisode, readEpisode } from "../../../store/episode-rows.ts"
import { one, type Steps } from "../../../store/steps.ts"
import type { UploadedEpisode } from "../../api.ts"
import type { Caller } from "../identity/caller.ts"
import { refuse } from "../refusal.ts"

export type TakenEpisodes = { taken: number; known: number; refused: number; projects: string[] }

/** Stores episodes of projects that have enabled them, redacted again; invalid ones are refused. */
export function* takeEpisodes({ member }: Caller, uploaded: readonly UploadedEpisode[]): Steps<TakenEpisodes> {
  for (const project of new Set(uploaded.map((each) => each.project))) yield* checkAgreed(project)
  const taken: Episode[] = []
  let known = 0
  let refused = 0
  for (const each of uploaded) {
    const episode = toEpisode(each, member.id)
    if (!episode) refused++
    else if (yield* readEpisode(episode.id)) known++
    else {
      yield* insertEpisode(episode, episode.project)
      taken.push(episode)
    }
  }
  return { taken: taken.length, known, refused, projects: [...new Set(taken.map(({ project }) => project))] }
}

/** Unknown projects get the same response. */
function* checkAgreed(project: string): Steps<void> {
  const row = yield* one("SELECT 1 FROM projects WHERE project_id = ? AND takes_episodes = 1", project)
  if (!row)
    refuse(403, "episodes-not-agreed", "Episodes are not enabled for this project. An administrator can enable them.")
}

const words = z
  .string()
  .max(20_000)
  .transform((text) => clearWithMarks(text) as string)
const few = z
  .array(
    z
      .string()
      .max(200)
      .transform((text) => clearWithMarks(text) as string),
  )
  .max(100)

/** All known fields; others are dropped. */
const event = z.object({
  id: z.string().max(200),
  ts: z.string().max(50),
  line: z.number(),
  role: z.enum(["user", "assistant", "tool"]),
  kind: z.enum(["message", "tool_call", "tool_result", "mark"]),
  summary: words,
  raw_snippet: words.optional(),
  tool_name: words.optional(),
  action: z.string().max(50).optional(),
  file: words.optional(),
  command: words.optional(),
  head: words.optional(),
  is_error: z.boolean().optional(),
  exit_code: z.number().optional(),
  fingerprint: words.optional(),
  test: z.enum(["passed", "failed"]).optional(),
  incident: z.enum(["refused", "interrupted"]).optional(),
  mark: z.enum(["session start", "session end", "clear", "compacted"]).optional(),
  frustration: z.enum(frustrations).optional(),
  accepts: z.literal(true).optional(),
  opener: z.enum(["correction", "new task", "continuation"]).optional(),
  statement: z.enum(["always", "never", "preference", "fact", "remember"]).optional(),
  asks: z.literal(true).optional(),
  branch: words.optional(),
  contexts: few.optional(),
  cites: few.optional(),
})
const form = z.object({ events: z.array(event).min(1), flushReason: z.enum(flushReasons) })

/** Ids are prefixed by member, because sessions of two machines may have the same id. The transcript's path is dropped. */
function toEpisode(uploaded: UploadedEpisode, member: string): Episode | undefined {
  const read = form.safeParse(uploaded)
  if (!read.success) return undefined
  const { id, project, client, session, start, end } = uploaded
  const { flushReason } = read.data
  const events = read.data.events as EpisodeEvent[]
  return {
    id: `${id} ${member}`,
    project,
    client: client as Episode["client"],
    session: `${member} ${session}`,
    transcript: "",
    start,
    end,
    events,
    stats: statsOf(events, flushReason), // recomputed: the client's sums are not trusted
    flushReason,
  }
}
