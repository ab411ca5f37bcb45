import { type Check, info, pass } from "./check.ts"

/** Whether the rules of this repository apply on this machine. Before that it is as sound as any other. */
export function checkTrust(trust: { kind: "trusted" } | { kind: "untrusted" | "refused"; reason: string }): Check {
  if (trust.kind === "trusted")
    return { name: "trust", ...pass("The rules of this repository apply to coding agents here.") }
  return {
    name: "trust",
    ...info(`Its rules do not apply to coding agents here: ${trust.reason}. "drey trust" changes that.`),
  }
}
