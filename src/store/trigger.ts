import { clearText } from "../governance/cleared.ts"
import type { Trigger } from "./memory.ts"

const most = 20

/** What may be kept of it: nothing twice, nothing that the gate refuses. */
export function clearTrigger(trigger: Trigger): Trigger {
  return ofEach((name) => trigger[name].filter((value) => value !== "" && clearText(value).kind === "cleared"))
}

/** Both; where they are too many, the newer one goes first. */
export function joinTriggers(old: Trigger, newer: Trigger): Trigger {
  return ofEach((name) => [...newer[name], ...old[name]])
}

function ofEach(values: (name: keyof Trigger) => string[]): Trigger {
  const list = (name: keyof Trigger) => [...new Set(values(name))].slice(0, most)
  return { tools: list("tools"), heads: list("heads"), paths: list("paths"), fingerprints: list("fingerprints") }
}
