import { DreyError, exitCode } from "../../errors.ts"
import type { ServerTrouble } from "./ask-server.ts"

/** What stands in the way of the team server, for a person; `isOver` tells that waiting will not mend it. */
export type Problem = { message: string; hint?: string; isOver: boolean }

export function problemOf(trouble: ServerTrouble, server: string): Problem {
  if (trouble.kind === "unreachable")
    return { message: `${server} cannot be reached: ${trouble.reason}`, isOver: false }
  if (trouble.kind === "not understood")
    return {
      message: `${server} does not answer as a Drey team server of this version: ${trouble.reason}`,
      hint: "Check the address; client and server may need the same version.",
      isOver: true,
    }
  const { status, reason, retryAfterMs } = trouble
  if (status === 401)
    return {
      message: `${server} does not know this token any more: it has expired or was revoked`,
      hint: `Sign in again: drey team login ${server}`,
      isOver: true,
    }
  if (status === 429) {
    const seconds = Math.ceil((retryAfterMs ?? 0) / 1000)
    return { message: `${server} asks to wait${seconds > 0 ? ` for ${seconds} s` : ""}: ${reason}`, isOver: false }
  }
  if (status >= 500) return { message: `${server} has a problem of its own: ${reason}`, isOver: false }
  return { message: `${server} refuses: ${reason}`, isOver: true }
}

export function errorOf(trouble: ServerTrouble, server: string): DreyError {
  const { message, hint } = problemOf(trouble, server)
  return new DreyError(message, { exitCode: exitCode.no, ...(hint === undefined ? {} : { hint }) })
}
