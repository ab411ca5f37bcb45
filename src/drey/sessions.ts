import { sha256 } from "../disk/hash.ts"
import type { Project } from "../project.ts"
import type { AgentPrompt, AgentPromptRequest } from "../sessions/agent-prompt.ts"
import type { ArbiterBrief, ArbiterInput } from "../sessions/arbiter.ts"
import type { GraduationRequest, SessionGraduation } from "../sessions/graduation/session-graduation.ts"
import type { Sessions } from "../sessions/session-api.ts"

/** Working memory: what the agents of one session discover, try and decide. Needs a repository, but no team folder. */
export type WorkingSessions = Omit<Sessions, "folder"> & {
  /**
   * The folder of all sessions.
   * @example const folder = drey.sessions.folder()
   */
  folder(): string
  /**
   * An agent's prompt with what its session knows. A session is named by its id; undefined means the only open one.
   * @example const { text } = await drey.sessions.agentPrompt(undefined, { agent: "mal", prompt })
   */
  agentPrompt(session: string | undefined, request: AgentPromptRequest): Promise<AgentPrompt>
  /**
   * What helps to choose the next agent of a session.
   * @example const { prompt } = await drey.sessions.arbiterPrompt(undefined, { agents })
   */
  arbiterPrompt(session: string | undefined, request: ArbiterInput): Promise<ArbiterBrief>
  /**
   * Keeps what a session found beyond its end: lessons, decisions, notes.
   * @example const { lessons } = await drey.sessions.graduate(undefined, { dryRun: true })
   */
  graduate(session: string | undefined, request: GraduationRequest): Promise<SessionGraduation>
}

export function openWorkingSessions(project: Project): WorkingSessions {
  const sessions = () => openSessionsOf(project)
  return {
    folder: project.sessionsFolder,
    start: async (request) => (await sessions()).start(request),
    open: async (id, options) => (await sessions()).open(id, options),
    list: async (options) => (await sessions()).list(options),
    stamp: async () => (await sessions()).stamp(),
    cleanup: async (options) => (await sessions()).cleanup(options),
    validate: async (paths) => (await sessions()).validate(paths),
    async agentPrompt(session, request) {
      const { promptAgent } = await import("../sessions/agent-prompt.ts")
      return promptAgent(await (await sessions()).open(session), request)
    },
    async arbiterPrompt(session, request) {
      const { briefArbiter } = await import("../sessions/arbiter.ts")
      return briefArbiter(await (await sessions()).open(session), { embed: await project.embedder(), ...request })
    },
    async graduate(id, request) {
      const { graduateSession } = await import("../sessions/graduation/session-graduation.ts")
      const { noteLessons } = await import("../sessions/graduation/graduated-entries.ts")
      const { proposeDecisions } = await import("../sessions/graduation/graduated-entries.ts")
      const session = await (await sessions()).open(id, { newest: true })
      project.find() // the session's own folder may be the first thing in the team folder
      const reason = "there is no team folder, so nothing can be learned; drey init creates one"
      return graduateSession(session, request, {
        learn: async (lessons, isAccepted) =>
          project.store().folders.length === 0
            ? lessons.map(() => ({ kind: "refused", reason }))
            : (await project.learning()).learnFromSession({ session, lessons, isAccepted }),
        propose: (decisions) => proposeDecisions(project.store(), decisions, project.now()),
        note: (lessons) => noteLessons(project.governedContext(), lessons),
      })
    },
  }
}

export async function openSessionsOf(project: Project): Promise<Sessions> {
  const { openSessions } = await import("../sessions/sessions.ts")
  const makeHex = () => sha256(project.makeId()).slice(0, 8)
  const { now, warn } = project
  return openSessions({ folder: project.sessionsFolder(), now, makeHex, embed: await project.embedder(), warn })
}
