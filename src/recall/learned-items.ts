import type { Item } from "../index/item.ts"
import type { Memory } from "../store/memory.ts"
import { writePayload } from "./payload.ts"

/** A learned memory as an index item. Usage counts are not part of it: they change with every context. */
export function itemOfMemory(memory: Memory): Item {
  const { kind, status, tier, key, confidence, evidence, origin, polarity, owner, contributedBy } = memory
  const shared = {
    ...(owner.type === "user" ? {} : { owner: owner.type }),
    ...(contributedBy === undefined ? {} : { sharedBy: contributedBy }),
  }
  return {
    id: memory.id,
    source: "learned",
    type: kind,
    class: "LOCAL",
    load: "ON-DEMAND",
    title: memory.text,
    text: memory.text,
    tags: [...(key === undefined ? [] : [key]), ...memory.flags],
    author: contributedBy ?? owner.id,
    contributors: [],
    agent: undefined,
    scope: memory.scope,
    pathPrefix: memory.pathPrefix,
    path: "",
    line: 0,
    at: Date.parse(memory.created),
    expires: memory.expires === undefined ? undefined : Date.parse(memory.expires),
    governed: false,
    supersedes: [],
    supersededBy: [],
    payload: writePayload(
      { kind: "learned", status, tier, key, confidence, evidence, origin, polarity, ...shared },
      memory.text,
    ),
  }
}
