import { stringify } from "smol-toml"
import type { Policy } from "./policy.ts"

/** A policy as its file could say it, every key with the value in force. */
export function writePolicy(policy: Policy): string {
  return stringify(policy)
}
