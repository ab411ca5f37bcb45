import type { Query, Split, Store } from "./data.ts"
import { loadDataSet } from "./load-data-sets.ts"

/** A repository with questions that were written by hand, and its records as a whole. */
export type HandRepository = { store: Store; questions: Query[] }

const byHand = ["task", "question", "symptom", "current"]

export function loadHandRepositories(folder: string, split: Split): HandRepository[] {
  return ["squad", "adr"].flatMap((name) => {
    const set = loadDataSet(folder, name)
    const questions = set.queries.filter(({ kind }) => byHand.includes(kind))
    const repositories = set.stores
      .filter((store) => store.split === split)
      .map((store) => ({ store, questions: questions.filter((query) => query.store === store.name) }))
    return repositories.filter((repository) => repository.questions.length > 0)
  })
}
