/** What is known of a sub-agent when it starts: the client's kind of agent, the title and the text of its task. */
export type Delegated = { kind?: string; title?: string; task: string }

/** The session of a sub-agent: its own, so that its events keep their order, and different from every client's ids. */
export function subAgentSession(parent: string, id: string): string {
  return `${parent}#${id}`
}

/**
 * The name that a sub-agent works under: the one it was introduced with ("You are Kane, the tester"), or a name in front
 * of its task's title ("🔧 Kane: fix the tests"), or its kind unless that is one of the client's own.
 */
export function subAgentName({ kind = "", title = "", task }: Delegated): string | undefined {
  const introduced = /\b[Yy]ou(?:'re| are)\s+[*_`"']{0,3}(\p{Lu}[\p{L}\p{N}_-]{1,40})[*_`"']{0,3}\s*(?=[,.:;(—–]|$)/mu
  const entitled = /^\p{Extended_Pictographic}[^\p{L}\p{N}]{0,8}(\p{Lu}[\p{L}\p{N}_-]{1,40}):\s/u
  const own = clientsOwn.test(kind.trim()) ? undefined : kind.trim()
  return introduced.exec(task.slice(0, 600))?.[1] ?? entitled.exec(title)?.[1] ?? own
}

const clientsOwn =
  /^(?:|general[ _-]?purpose|explore|plan|default|worker|explorer|awaiter|task|agent|other|output-style-setup|statusline-setup|claude-code-guide)$/i
