import { callRpc } from "./call-rpc.ts"
import { findWatch } from "./find-watch.ts"

/** Has the watch that runs take up the policy files as they are now. Tells whether one runs. */
export async function reloadWatch(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const running = await findWatch(environment)
  if (running) await callRpc(running.socket, "reload_policy")
  return running !== undefined
}
