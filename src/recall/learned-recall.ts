import type { ProjectSettings } from "../config.ts"
import { type Policy, policyForEmbedder } from "../formats/policy.ts"
import type { Item } from "../index/index-store.ts"
import { type Ledger, learnedPath, openLedger } from "../memories/ledger.ts"
import { projectIdOf } from "../memories/project-id.ts"
import type { TeamStore } from "../team/team-folder.ts"
import type { BuiltContext } from "./context/context-builder.ts"
import type { LearnedParts } from "./recall-parts.ts"

/** The learned memories of a checkout for recall: find, weigh, and record their use. */
export type LearnedRecall = LearnedParts &
  LearnedSource & {
    /** Records which memories a context included and which it left out. */
    record(built: Pick<BuiltContext, "record" | "learned">, session: string | undefined): void
    /** The months with conversations of the project, each with a stamp. */
    conversationMonths(): Map<string, string>
    /** Ids of memories that originate from a failure with this fingerprint. */
    learnedFrom(fingerprint: string): string[]
    close(): void
  }

export type LearnedRecallOptions = {
  home: string
  store: TeamStore
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
    conversationMonths: () => ledger.conversationMonths(project),
    learnedFrom: (fingerprint) => ledger.learnedFrom(project, fingerprint),
    close: () => ledger.close(),
  }
}

/** The learned memories that a checkout may see, as the index takes them in. */
export type LearnedSource = {
  /** Changes when one of them does. */
  stamp(): Promise<string>
  items(): Promise<Item[]>
}
