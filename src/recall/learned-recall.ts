import type { Policy } from "../formats/policy.ts"
import { policyForEmbedder } from "../formats/policy-for-embedder.ts"
import type { Item } from "../index/item.ts"
import type { Store } from "../squad/find-store.ts"
import { learnedPath } from "../store/learned-path.ts"
import { type Ledger, openLedger } from "../store/ledger.ts"
import { type ProjectSettings, projectIdOf } from "../store/project-id.ts"
import type { BuiltContext } from "./build-context.ts"
import type { LearnedSource } from "./learned-source.ts"
import type { LearnedParts } from "./recall-parts.ts"

/** The learned memories of a checkout for recall: find, weigh, and record their use. */
export type LearnedRecall = LearnedParts &
  LearnedSource & {
    /** Records which memories a context included and which it left out. */
    record(built: Pick<BuiltContext, "record" | "learned">, session: string | undefined): void
    /** Ids of memories that originate from a failure with this fingerprint. */
    learnedFrom(fingerprint: string): string[]
    close(): void
  }

export type LearnedRecallOptions = {
  home: string
  store: Store
  /** The project id settings of the user's and the project's configuration. */
  project: ProjectSettings
  policy: Policy
  /** Every memory visible to the project, as items. */
  readItems(project: string): Promise<Item[]>
}

/** Undefined while nothing has been learned. */
export function openLearnedRecall(options: LearnedRecallOptions): LearnedRecall | undefined {
  const ledger = openLedger(learnedPath(options.home))
  return ledger && withLedger(ledger, options)
}

function withLedger(
  ledger: Ledger,
  { store, project: settings, policy, readItems }: LearnedRecallOptions,
): LearnedRecall {
  const project = ledger.projectOf(projectIdOf(store.root, settings))
  return {
    holdoutRate: policy.baseline.holdout_rate,
    settingsFor: (embedder) => policyForEmbedder(policy, embedder).retrieval,
    stamp: async () => `${project} ${ledger.version(project)}`,
    items: () => readItems(project),
    useCounts: async (ids) => ledger.useCounts(ids),
    record({ record, learned }, session) {
      if (learned.length === 0) return // nothing was included or left out
      const { taskId, taskHash, agent, at } = record
      ledger.recordTask({ task: taskId, project, session, agent, taskHash, ts: at, memories: learned })
    },
    learnedFrom: (fingerprint) => ledger.learnedFrom(project, fingerprint),
    close: () => ledger.close(),
  }
}
