import type { Policy } from "./policy.ts"

/** The policy with the thresholds that it names for this embedder: what counts as near differs from one to the next. */
export function policyForEmbedder(policy: Policy, embedder: string | undefined): Policy {
  const { opportunity_similarity, ...commit } = (embedder === undefined ? undefined : policy.similarity[embedder]) ?? {}
  return {
    ...policy,
    retrieval: { ...policy.retrieval, ...(opportunity_similarity === undefined ? {} : { opportunity_similarity }) },
    commit: { ...policy.commit, ...commit },
  }
}
