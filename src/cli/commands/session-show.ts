import type { Command } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import type { Session, Sessions } from "../../sessions/session.ts"
import { print } from "../print.ts"
import { agentOf, type SessionOptions, sessionOf, sessionSubcommand } from "../session-face.ts"
import { entryText, sessionText, traceText } from "../show-session.ts"

type Options = SessionOptions & { trace?: boolean }

export function sessionShowCommand(): Command {
  return sessionSubcommand(
    "show",
    "Show a session, or one of its entries. With --trace, follow an entry's links in both directions: attempts, decisions and discoveries it is based on or led to.",
    "drey session show\ndrey session show attempt-001 --trace",
  )
    .argument("[id]", "a session's id or a unique prefix of it, or an entry's id")
    .option("--trace", "show all entries linked to this one, directly or indirectly")
    .action(show)
}

async function show(id: string | undefined, options: Options): Promise<void> {
  const sessions = openDrey(options).sessions
  if (id === undefined || (await isSession(sessions, id))) {
    if (options.trace)
      throw new DreyError("--trace needs an entry's id", { hint: "For example: drey session show attempt-001 --trace" })
    return showSession(options, await sessions.open(id ?? sessionOf(options), { newest: true }))
  }
  return showEntry(options, await sessions.open(sessionOf(options), { newest: true }), id)
}

async function isSession(sessions: Pick<Sessions, "list">, id: string): Promise<boolean> {
  return (await sessions.list()).some((session) => session.id.startsWith(id))
}

async function showSession(options: Options, session: Session): Promise<void> {
  const metadata = await session.metadata()
  const memories = await session.memories({ agent: agentOf(options) })
  const plan = await session.plan()
  const { id, folder } = session
  print(
    options,
    () => ({ id, folder, metadata, plan: plan ?? null, agents: [...memories.values()] }),
    () => sessionText({ id, folder, metadata, plan, memories }),
  )
}

async function showEntry(options: Options, session: Session, id: string): Promise<void> {
  const trace = await session.trace(id, { agent: agentOf(options) })
  const { start } = trace
  print(
    options,
    () => ({ session: session.id, ...(options.trace ? trace : start) }),
    () => (options.trace ? traceText(trace) : entryText(start)),
  )
}
