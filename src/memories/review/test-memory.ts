import { type Memory, type MemoryMetrics, noMetrics } from "../memory.ts"

/** For tests and simulations: a pattern on trial that an agent inferred, as far as the test does not care. */
export function testMemory(
  id: string,
  { metrics, ...given }: Partial<Omit<Memory, "metrics">> & { metrics?: Partial<MemoryMetrics> } = {},
): Memory {
  return {
    id,
    project: "p-0123456789abcdef",
    scope: "project",
    pathPrefix: undefined,
    owner: { type: "user", id: "ana" },
    kind: "pattern",
    tier: "short_term",
    polarity: 1,
    key: undefined,
    text: `Text of ${id}`,
    status: "provisional",
    confidence: 0.8,
    expires: undefined,
    pinned: false,
    flags: [],
    trigger: { tools: [], heads: [], paths: [], fingerprints: [] },
    origin: "agent",
    trust: 1,
    derivedFrom: undefined,
    contributedBy: undefined,
    sourceMemory: undefined,
    version: 1,
    created: "2026-01-01T00:00:00.000Z",
    updated: "2026-01-01T00:00:00.000Z",
    evidence: 1,
    ...given,
    metrics: { ...noMetrics, ...metrics },
  }
}
