import { sha256 } from "../disk/sha256.ts"
import type { Project } from "../project.ts"
import type { ArbiterBrief } from "../sessions/brief-arbiter.ts"
import type { ArbiterInput } from "../sessions/build-arbiter-select-prompt.ts"
import type { GraduationRequest, SessionGraduation } from "../sessions/graduate-session.ts"
import type { AgentPrompt, AgentPromptRequest } from "../sessions/prompt-agent.ts"
import type { Sessions } from "../sessions/session.ts"

/** Working memory: what the agents of one session discover, try and decide. Needs a repository, but no team folder. */
export type WorkingSessions = Omit<Sessions, "folder"> & {
  /** The folder of all sessions. */
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
      const { promptAgent } = await import("../sessions/prompt-agent.ts")
      return promptAgent(await (await sessions()).open(session), request)
    },
    async arbiterPrompt(session, request) {
      const { briefArbiter } = await import("../sessions/brief-arbiter.ts")
      return briefArbiter(await (await sessions()).open(session), { embed: await project.embedder(), ...request })
    },
    async graduate(id, request) {
      const { graduateSession } = await import("../sessions/graduate-session.ts")
      const { noteLessons } = await import("../squad/note-lessons.ts")
      const { proposeDecisions } = await import("../squad/propose-decisions.ts")
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
  const { openSessions } = await import("../sessions/open-sessions.ts")
  const makeHex = () => sha256(project.makeId()).slice(0, 8)
  const { now, warn } = project
  return openSessions({ folder: project.sessionsFolder(), now, makeHex, embed: await project.embedder(), warn })
}
