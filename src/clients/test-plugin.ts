import { type HookFixture, story } from "./hook-client-contract.ts"

const told = (event: string, fields: object) => ({
  event,
  input: { session: story.session, cwd: story.cwd, ...fields },
})
const run = { tool: "bash", args: { command: story.command } }

/** What a plugin sends; `file` is the client's name for the path of a file that a call changes. */
export function testPluginFixture(file: string): HookFixture {
  const edit = { [file]: story.file, oldString: "a", newString: story.newText }
  return {
    start: told("session-start", {}),
    resume: told("session-start", { source: "resume" }),
    prompt: (prompt) => told("prompt", { prompt }),
    run: told("before-tool", run),
    edit: told("before-tool", { tool: "edit", args: edit }),
    read: told("before-tool", { tool: "read", args: { [file]: story.file } }),
    failure: told("after-failure", { ...run, error: story.error }),
    turnEnd: told("turn-end", {}),
    sessionEnd: told("session-end", {}),
    lacks: ["transcript"],
    asks: true,
  }
}
