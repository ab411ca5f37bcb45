import { DreyError, exitCode } from "../../errors.ts"
import type { ServerTrouble } from "./ask-server.ts"

/** A failed request as a message for the user. `isOver`: retrying will not help. */
export type Problem = { message: string; hint?: string; isOver: boolean }

export function problemOf(trouble: ServerTrouble, server: string): Problem {
  if (trouble.kind === "unreachable")
    return { message: `${server} cannot be reached: ${trouble.reason}`, isOver: false }
  if (trouble.kind === "not understood")
    return {
      message: `${server} does not respond like a Drey team server of this version: ${trouble.reason}`,
      hint: "Check the address, and that client and server have the same version.",
      isOver: true,
    }
  const { status, reason, retryAfterMs } = trouble
  if (status === 401)
    return {
      message: `${server} rejected the token: it has expired or was revoked`,
      hint: `Sign in again: drey team login ${server}`,
      isOver: true,
    }
  if (status === 429) {
    const seconds = Math.ceil((retryAfterMs ?? 0) / 1000)
    return { message: `${server} asks to wait${seconds > 0 ? ` for ${seconds} s` : ""}: ${reason}`, isOver: false }
  }
  if (status >= 500) return { message: `${server} failed: ${reason}`, isOver: false }
  return { message: `${server} refused the request: ${reason}`, isOver: true }
}

export function errorOf(trouble: ServerTrouble, server: string): DreyError {
  const { message, hint } = problemOf(trouble, server)
  return new DreyError(message, { exitCode: exitCode.no, ...(hint === undefined ? {} : { hint }) })
}
