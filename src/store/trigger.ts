import { clearText } from "../governance/cleared.ts"
import type { Trigger } from "./memory.ts"

const most = 20

/** Removes duplicates and what fails the governance check. */
export function clearTrigger(trigger: Trigger): Trigger {
  return ofEach((name) => trigger[name].filter((value) => value !== "" && clearText(value).kind === "cleared"))
}

/** Joins both; when there are too many, the newer ones are kept. */
export function joinTriggers(old: Trigger, newer: Trigger): Trigger {
  return ofEach((name) => [...newer[name], ...old[name]])
}

function ofEach(values: (name: keyof Trigger) => string[]): Trigger {
  const list = (name: keyof Trigger) => [...new Set(values(name))].slice(0, most)
  return { tools: list("tools"), heads: list("heads"), paths: list("paths"), fingerprints: list("fingerprints") }
}
