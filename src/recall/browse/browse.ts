import type { Query } from "../../formats/query.ts"
import { agentKey } from "../../formats/text.ts"
import type { TaskComparison } from "../../memories/learned-store.ts"
import { readRoster } from "../../team/team-files.ts"
import type { TeamStore } from "../../team/team-folder.ts"
import { buildContext, type ContextRequest, defaultBudget } from "../context/context-builder.ts"
import type { Recall } from "../recall.ts"
import { type ReadProblems, statFile } from "../sync/origins.ts"
import { type AgentDescription, type AgentSummary, describeAgent, listAgents } from "./agents.ts"
import type { ContextAnswer } from "./app-api.ts"
import { type Catalogue, keepLast, type LearnedMemories, openCatalogue } from "./catalogue.ts"
import { type DescribeSources, describeItem, type ItemDescription, showContext } from "./item-detail.ts"
import { browseItems, findItems, type ItemPage } from "./item-list.ts"
import { buildStoreOverview, type ItemTimeline, makeTimeline, type StoreOverview } from "./overview.ts"

export type BrowseParts = Omit<DescribeSources, "contexts"> & {
  recall: () => Promise<Recall>
  store: () => TeamStore
  now: () => Date
  compareTasks(): Promise<TaskComparison>
  learned: LearnedMemories
}

/** Read-only views of all items; nothing here counts as use. */
export type Browse = {
  /**
   * A page of results over all items, including superseded, archived and ended ones.
   * @example const { rows } = await drey.search.browse.items(query, { limit: 20, offset: 0 })
   */
  items(query: Query, page: { limit: number; offset: number }): Promise<ItemPage>
  /**
   * When the items that match were written.
   * @example const timeline = await drey.search.browse.timeline(query)
   */
  timeline(query: Query): Promise<ItemTimeline>
  /**
   * Undefined when no item has or had this id.
   * @example const item = await drey.search.browse.describe("sem-1f0c22")
   */
  describe(id: string): Promise<ItemDescription | undefined>
  /**
   * Preview of an agent's context; it is not recorded as used.
   * @example const { text } = await drey.search.browse.preview({ task: "Add a login" })
   */
  preview(request: ContextRequest): Promise<ContextAnswer>
  /**
   * The agents named in the rosters.
   * @example const names = await drey.search.browse.agentNames()
   */
  agentNames(): Promise<string[]>
  /**
   * Every agent with the size of what it is handed.
   * @example const agents = await drey.search.browse.agents()
   */
  agents(): Promise<AgentSummary[]>
  /**
   * One agent with its history and its last contexts; undefined when there is none of this name.
   * @example const kane = await drey.search.browse.agent("kane")
   */
  agent(name: string): Promise<AgentDescription | undefined>
  /**
   * Changes whenever a context was handed out.
   * @example const hasChanged = (await drey.search.browse.usesStamp()) !== stamp
   */
  usesStamp(): Promise<string>
  /**
   * Totals, and what needs a review.
   * @example const overview = await drey.search.browse.stock()
   */
  stock(): Promise<StoreOverview>
  /**
   * All items, for counting; cached while nothing changes.
   * @example const catalogue = await drey.search.browse.catalogue()
   */
  catalogue(): Promise<Catalogue & ReadProblems>
}

export function openBrowse({ recall, store, learned, compareTasks, now, ...sources }: BrowseParts): Browse {
  const catalogueOf = openCatalogue(learned)
  const about = { sessions: true }
  const catalogue = async () => {
    const { ask } = await recall()
    const { answer, trouble } = await ask(catalogueOf, about)
    return { ...answer, ...trouble }
  }
  const summaries = keepLast<AgentSummary[]>()
  const agents = async () => {
    const { ask, place } = await recall()
    const places = { store: store(), contexts: place.contexts }
    const { answer } = await ask(async (parts) => {
      const current = await catalogueOf(parts)
      return summaries(`${current.stamp} ${statFile(place.contexts)?.text}`, () => listAgents(parts, current, places))
    }, about)
    return answer
  }
  return {
    async items(query, page) {
      const { ask } = await recall()
      return (await ask(async (parts) => browseItems(parts, await catalogueOf(parts), query, page), about)).answer
    },
    async timeline(query) {
      const { ask } = await recall()
      const { answer } = await ask(async (parts) => findItems(parts, await catalogueOf(parts), query), about)
      return makeTimeline(answer)
    },
    async describe(id) {
      const { ask, place } = await recall()
      const places = { ...sources, contexts: place.contexts }
      return (await ask(async (parts) => describeItem(parts, await catalogueOf(parts), places, id), about)).answer
    },
    async preview(request) {
      const { ask } = await recall()
      const { answer } = await ask((parts) => buildContext(parts, { ...request, isLook: true }))
      return showContext(answer.context)
    },
    agents,
    async agentNames() {
      return [...readRoster(store()).values()]
    },
    async usesStamp() {
      return statFile((await recall()).place.contexts)?.text ?? ""
    },
    async stock() {
      const memories = await learned.read()
      const sources = {
        catalogue: await catalogue(),
        memories,
        agents: await agents(),
        comparison: await compareTasks(),
      }
      return buildStoreOverview({ ...sources, budget: defaultBudget, now: now().getTime() })
    },
    async agent(name) {
      const { place } = await recall()
      const summary = (await agents()).find((each) => agentKey(each.name) === agentKey(name))
      return summary && describeAgent(summary, await catalogue(), place)
    },
    catalogue,
  }
}
