import { agentKey } from "../../formats/agent-key.ts"
import type { Query } from "../../formats/query.ts"
import type { TaskComparison } from "../../learning/compare-tasks.ts"
import type { Store } from "../../squad/find-store.ts"
import { readRoster } from "../../squad/list-files.ts"
import type { ContextAnswer } from "../../web/api.ts"
import { buildContext, type ContextRequest, defaultBudget } from "../build-context.ts"
import { lookAt } from "../file-look.ts"
import type { Recall } from "../open-recall.ts"
import type { Trouble } from "../trouble.ts"
import { browseItems, type ItemPage } from "./browse-items.ts"
import { type Catalogue, type LearnedMemories, openCatalogue } from "./catalogue.ts"
import { type DescribeSources, describeItem, type ItemDescription } from "./describe-item.ts"
import { findItems } from "./find-items.ts"
import { keepLast } from "./keep-last.ts"
import { type AgentDescription, type AgentSummary, describeAgent, listAgents } from "./list-agents.ts"
import { type ItemTimeline, makeTimeline } from "./make-timeline.ts"
import { showContext } from "./show-context.ts"
import { type Stock, takeStock } from "./take-stock.ts"

export type BrowseParts = Omit<DescribeSources, "contexts"> & {
  recall: () => Promise<Recall>
  store: () => Store
  now: () => Date
  compareTasks(): Promise<TaskComparison>
  learned: LearnedMemories
}

/** Looking around in everything that is remembered; nothing here is a use of anything. */
export type Browse = {
  /** A page of what a query finds, of everything: superseded, archived and ended too. */
  items(query: Query, page: { limit: number; offset: number }): Promise<ItemPage>
  timeline(query: Query): Promise<ItemTimeline>
  /** undefined when nothing has this id, or ever had. */
  describe(id: string): Promise<ItemDescription | undefined>
  /** What an agent would be handed; nobody is, so nothing goes on record. */
  preview(request: ContextRequest): Promise<ContextAnswer>
  /** The team, as the rosters name it. */
  agentNames(): Promise<string[]>
  agents(): Promise<AgentSummary[]>
  agent(name: string): Promise<AgentDescription | undefined>
  /** Another one when something was handed to an agent. */
  usesStamp(): Promise<string>
  /** How memory stands as a whole, and what needs a person. */
  stock(): Promise<Stock>
  /** All of it, for counting; held in memory while nothing changes. */
  catalogue(): Promise<Catalogue & Trouble>
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
      return summaries(`${current.stamp} ${lookAt(place.contexts)?.text}`, () => listAgents(parts, current, places))
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
      return lookAt((await recall()).place.contexts)?.text ?? ""
    },
    async stock() {
      const memories = await learned.read()
      const sources = {
        catalogue: await catalogue(),
        memories,
        agents: await agents(),
        comparison: await compareTasks(),
      }
      return takeStock({ ...sources, budget: defaultBudget, now: now().getTime() })
    },
    async agent(name) {
      const { place } = await recall()
      const summary = (await agents()).find((each) => agentKey(each.name) === agentKey(name))
      return summary && describeAgent(summary, await catalogue(), place)
    },
    catalogue,
  }
}
