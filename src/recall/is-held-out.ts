/**
 * Whether a task is one of the few that are done without learned memories, so that the project's baseline stays alive. Decided by the
 * task's hash: the same task is held out each time that it is asked for, and nothing need be kept.
 */
export function isHeldOut(taskHash: string, rate: number): boolean {
  return Number.parseInt(taskHash.slice(0, 8), 16) < rate * 2 ** 32
}
