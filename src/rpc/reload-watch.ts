import { callRpc } from "./call-rpc.ts"
import { findWatch } from "./find-watch.ts"

/** Makes the running watch reload the policy files. Returns whether one is running. */
export async function reloadWatch(environment: NodeJS.ProcessEnv): Promise<boolean> {
  const running = await findWatch(environment)
  if (running) await callRpc(running.socket, "reload_policy")
  return running !== undefined
}
