import { setTimeout as pause } from "node:timers/promises"
import { shared } from "../../src/server/test-team-server.ts"

/** Asks whichever server it takes; with a body it is a POST. */
export type Send = (path: string, body?: unknown) => Promise<Response>

/** What was not answered as it should be: 0 where nothing was answered at all. */
export type Trouble = { status: number; retryAfter: string | null }

export type Load = {
  /** The ids of memories that were shared, each with how often its use was reported, as far as servers have acknowledged it. */
  acknowledged: Map<string, number>
  troubles: Trouble[]
  /** Of all requests, in milliseconds. */
  longest(): number
  /** Until every writer has its last answer. */
  end(): Promise<void>
}

const usesOfEach = 2

/** Writers that share memories, and another member who uses them; as clients do, what was not acknowledged is sent again. */
export function loadTeam({ share, use }: { share: Send; use: Send }, writers: number): Load {
  const acknowledged = new Map<string, number>()
  const troubles: Trouble[] = []
  let isOver = false
  let longest = 0
  const insist = async (send: Send, path: string, body: unknown): Promise<unknown> => {
    for (;;) {
      const began = performance.now()
      const answer = await send(path, body).catch(() => undefined)
      const told = await answer?.json().catch(() => undefined)
      longest = Math.max(longest, performance.now() - began)
      if (answer?.ok && told !== undefined) return told
      troubles.push({ status: answer?.status ?? 0, retryAfter: answer?.headers.get("retry-after") ?? null })
      await pause(20)
    }
  }
  const write = async (writer: number) => {
    for (let turn = 0; !isOver; turn++) {
      const source = `m-${writer}-${turn}`
      const text = `Rule ${turn} of writer ${writer} under load`
      const { id } = (await insist(share, "/v1/memories", shared({ text, sourceMemory: source }))) as { id: string }
      const events = Array.from({ length: usesOfEach }, (_, at) => useOf(id, `${source}-${at}`))
      await insist(use, "/v1/uses", { events })
      if (turn % 3 === 0) await insist(use, "/v1/uses", { events }) // a client that was not sure
      await insist(share, "/v1/search", { q: text })
      acknowledged.set(id, usesOfEach)
    }
  }
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  return {
    acknowledged,
    troubles,
    longest: () => longest,
    async end() {
      isOver = true
      await writing
    },
  }
}

function useOf(memory: string, key: string) {
  const [project, at] = ["github.com/acme/shop", "2026-03-02T09:00:00.000Z"]
  const figures = { regretSaved: 1, netRegret: 1 }
  return { key, memory, task: key, project, at, injected: true, exposed: true, cited: false, outcome: null, ...figures }
}

type Listed = { memories: { id: string; metrics: { useCount: number; regretSaved: number } }[]; next: string | null }

/** Every memory of the organisation, each with its uses: once counted by task, and once as a sum to which each event adds one. */
export async function keptOf(send: Send): Promise<[id: string, uses: number, sum: number][]> {
  const kept: [string, number, number][] = []
  for (let after = ""; ; ) {
    const page = await send(`/v1/memories?limit=500${after && `&after=${after}`}`)
    const { memories, next } = (await page.json()) as Listed
    for (const { id, metrics } of memories) kept.push([id, metrics.useCount, metrics.regretSaved])
    if (next === null) return kept.sort()
    after = next
  }
}

/** What `keptOf` returns if nothing was lost and nothing counted twice. */
export function expectedOf({ acknowledged }: Load): [id: string, uses: number, sum: number][] {
  return [...acknowledged].map(([id, uses]): [string, number, number] => [id, uses, uses]).sort()
}
