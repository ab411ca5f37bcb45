import { z } from "zod"
import { DreyError } from "../errors.ts"
import type { SessionDetail, SessionRow } from "../recall/browse/app-api.ts"
import type { Session, SessionSummary } from "../sessions/session-api.ts"
import { get, reply } from "./route.ts"

export const sessionRoutes = [
  get("/api/sessions", z.object({}), async ({ drey }) => reply<SessionRow[]>((await drey.sessions.list()).map(toRow))),
  get("/api/sessions/:id", z.object({}), async ({ drey }, _, { id = "" }) => {
    const sessions = drey.sessions
    const session = await sessions.open(id)
    const { files } = await sessions.validate([session.folder])
    return reply<SessionDetail>({
      ...(await readDetail(session)),
      problems: files.flatMap(({ path, problems }) =>
        problems.map(({ line, message }) => `${path}${line === undefined ? "" : `:${line}`}: ${message}`),
      ),
    })
  }),
]

async function readDetail(session: Session): Promise<Omit<SessionDetail, "problems">> {
  const metadata = await session.metadata()
  const memories = await session.memories({ archived: true })
  return {
    row: toRow({ kind: "readable", id: session.id, folder: session.folder, metadata }),
    metadata,
    state: (await orNothing(() => session.state())) ?? null,
    plan: (await orNothing(() => session.plan.read())) ?? null,
    agents: [...memories].map(([name, memory]) => ({ name, memory })),
    solvedBy: await session.solutions(),
  }
}

/** Unreadable parts are listed in the session's problems; the rest is still shown. */
async function orNothing<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof DreyError) return undefined
    throw error
  }
}

function toRow(summary: SessionSummary): SessionRow {
  if (summary.kind === "unreadable") {
    const counts = { discoveries: 0, attempts: 0, failed: 0, decisions: 0 }
    const { id, problem } = summary
    return {
      id,
      task: "",
      status: "unreadable",
      isActive: false,
      startedAt: "",
      endedAt: null,
      agents: [],
      counts,
      problem,
    }
  }
  const { task, status, createdAt, endedAt, agents, counts } = summary.metadata
  return {
    id: summary.id,
    task,
    status,
    isActive: status === "active",
    startedAt: createdAt,
    endedAt: endedAt ?? null,
    agents,
    counts: {
      discoveries: counts.discoveries,
      attempts: counts.attempts,
      failed: counts.failures,
      decisions: counts.decisions,
    },
    problem: null,
  }
}
