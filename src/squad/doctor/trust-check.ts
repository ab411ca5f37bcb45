import { type Check, info, pass } from "./check.ts"

/** Whether this repository's rules apply on this machine. An untrusted repository is not a failure. */
export function checkTrust(trust: { kind: "trusted" } | { kind: "untrusted" | "refused"; reason: string }): Check {
  if (trust.kind === "trusted")
    return { name: "trust", ...pass("The rules of this repository apply to coding agents here.") }
  return {
    name: "trust",
    ...info(
      `This repository's rules do not apply to coding agents here: ${trust.reason}. Run "drey trust" to allow them.`,
    ),
  }
}
