import { sha256 } from "../../disk/hash.ts"
import type { SharedMemory, TeamMemory } from "../api.ts"

/** For tests: a memory as a team server returns it, named by any word. */
export function testTeamMemory(name: string, given: Partial<TeamMemory> = {}): TeamMemory {
  return {
    ...testShared(name),
    id: testMemoryId(name),
    owner: { type: "team", id: "t-payments" },
    pinned: false,
    flags: [],
    contributedBy: "Kim",
    version: 1,
    updated: "2026-03-01T10:00:00.000Z",
    metrics: { useCount: 0, opportunities: 0, hits: 0, misses: 0, regretSaved: 0 },
    ...given,
  }
}

export function testShared(name: string, given: Partial<SharedMemory> = {}): SharedMemory {
  return {
    project: "p-one",
    scope: "project",
    pathPrefix: null,
    kind: "pattern",
    tier: "long_term",
    polarity: 1,
    key: null,
    text: `Use the ${name} service for payments.`,
    status: "active",
    confidence: 0.9,
    expires: null,
    trigger: { tools: [], heads: [], paths: [], fingerprints: [] },
    origin: "user",
    trust: 3,
    created: "2026-02-01T10:00:00.000Z",
    sourceMemory: testMemoryId(`source of ${name}`),
    team: null,
    ...given,
  }
}

export function testMemoryId(name: string): string {
  return `m-${sha256(name).slice(0, 16)}`
}
