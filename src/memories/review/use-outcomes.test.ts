import { expect, test } from "vitest"
import { builtInPolicy } from "../../formats/policy.ts"
import type { Episode, EpisodeEvent, EpisodeStats } from "../episode.ts"
import type { RecordedTask, RecordedUse } from "../learned-store.ts"
import type { Memory } from "../memory.ts"
import { testMemory } from "./test-memory.ts"
import { judgeUse, type SettleInput, settleEpisode, type Trial } from "./use-outcomes.ts"

const brokenMigration = "error: relation <str> does not exist"
const trigger = { tools: ["Bash"], heads: ["npm test"], paths: ["db/schema.sql"], fingerprints: [brokenMigration] }
const pattern = testMemory("m-4f2a91000000000a", { trigger, text: "Run the migrations before the tests" })
const preference = testMemory("m-b0b0b0000000000b", {
  kind: "preference",
  key: "user.pref.test_style",
  text: "Write tests in Vitest, not Jest",
})

function event(given: Partial<EpisodeEvent>): EpisodeEvent {
  return { id: "e", ts: "2026-03-01T10:05:00Z", line: 1, role: "tool", kind: "tool_result", summary: "", ...given }
}

const testRun = event({ action: "run", tool_name: "Bash", head: "npm test" })
const sameError = event({ ...testRun, is_error: true, fingerprint: brokenMigration })
const edit = event({ action: "edit", file: "src/app.ts" })

function episode(events: EpisodeEvent[], stats: Partial<EpisodeStats> = {}): Episode {
  return {
    id: "ep-2026-03-01-000000000001",
    project: "p-0123456789abcdef",
    client: "claude-code",
    session: "s1",
    transcript: "/t/s1.jsonl",
    start: "2026-03-01T10:00:00Z",
    end: "2026-03-01T11:00:00.000Z",
    events,
    stats: {
      error_count: 0,
      retry_loops: 0,
      retry_attempts: 0,
      tests_final_status: "passed",
      user_frustration: "none",
      interrupts: 0,
      rejections: 0,
      outcome: "success",
      ...stats,
    },
    flushReason: "task_boundary",
  }
}

function task(memories: Memory[], given: Partial<RecordedUse> = {}, name = "t-1"): RecordedTask {
  const ts = "2026-03-01T10:01:00Z"
  const uses = memories.map(({ id }) => ({
    memory: id,
    task: name,
    session: "s1",
    episode: undefined,
    ts,
    injected: true,
    rank: 1,
    score: 1,
    exposed: undefined,
    cited: undefined,
    outcome: undefined,
    ...given,
  }))
  return { task: name, ts, taskHash: "h", uses }
}

function settle(given: Partial<SettleInput> & Pick<SettleInput, "episode">) {
  return settleEpisode({
    tasks: [task([pattern])],
    memories: new Map([pattern, preference].map((memory) => [memory.id, memory])),
    unasked: [],
    named: [],
    baseline: { episodes: 20, errors: 1, retries: 1 },
    policyFor: () => builtInPolicy,
    taskText: "Write tests for the importer",
    likeness: () => 0,
    ...given,
  })
}

const verdict = (given: Parameters<typeof settle>[0]) => settle(given).uses[0]

test("a memory that was tested, and whose error did not occur, has helped", () => {
  expect(settle({ episode: episode([testRun]) })).toEqual({
    injected: true,
    uses: [
      {
        memory: pattern.id,
        task: "t-1",
        exposed: true,
        cited: false,
        hit: true,
        miss: false,
        regretSaved: 1.5,
        netRegret: 1.5,
        renewedUntil: "2026-03-31T11:00:00.000Z",
      },
    ],
  })
})

test("a memory that was never relevant proves nothing", () => {
  expect(verdict({ episode: episode([edit]) })).toMatchObject({
    exposed: false,
    hit: false,
    miss: false,
    regretSaved: 0,
  })
})

test("each part of its origin tests a memory, but a tool's name only if nothing else does", () => {
  const exposed = (given: Partial<EpisodeEvent>) => verdict({ episode: episode([event(given)]) })?.exposed
  expect(exposed({ head: "npm test" })).toBe(true)
  expect(exposed({ file: "db/schema.sql" })).toBe(true)
  expect(exposed({ fingerprint: brokenMigration })).toBe(true)
  expect(exposed({ tool_name: "Bash" })).toBe(false)
  const vague = { ...pattern, trigger: { ...trigger, heads: [], paths: [], fingerprints: [] } }
  const memories = new Map([[vague.id, vague]])
  expect(verdict({ memories, episode: episode([event({ tool_name: "Bash" })]) })?.exposed).toBe(true)
})

test("a preference is tested by work on a relevant task, not by talk; that nothing contradicts it is no evidence", () => {
  const tasks = [task([preference])]
  const vitest = event({ action: "run", command: "npx vitest run", head: "vitest" })
  expect(verdict({ tasks, episode: episode([edit]) })).toMatchObject({ exposed: true, hit: false, miss: false })
  expect(verdict({ tasks, episode: episode([edit, vitest]) })).toMatchObject({ exposed: true, hit: true })
  const thanks = event({ role: "user", kind: "message", accepts: true, summary: "great, vitest it is" })
  expect(verdict({ tasks, episode: episode([edit, thanks]) })).toMatchObject({ hit: true })
  expect(verdict({ tasks, episode: episode([event({ role: "user", kind: "message" })]) })).toMatchObject({
    exposed: false,
    hit: false,
  })
})

test("work on something else tests no preference and no invariant, whatever the context was for", () => {
  const tasks = [task([preference])]
  const elsewhere = { tasks, episode: episode([edit]), taskText: "Make the header blue" }
  expect(verdict(elsewhere)).toMatchObject({ exposed: false, hit: false })
  expect(verdict({ ...elsewhere, likeness: () => 0.4 })).toMatchObject({ exposed: true })
  const local = { ...preference, trigger: { ...preference.trigger, paths: ["src/app.ts"] } }
  const memories = new Map([[local.id, local]])
  expect(verdict({ ...elsewhere, memories })).toMatchObject({ exposed: true })
})

test("a recurring error is a miss, unless it came before the context", () => {
  expect(verdict({ episode: episode([sameError, testRun]) })).toMatchObject({ hit: false, miss: true })
  const before = { ...sameError, ts: "2026-03-01T10:00:30Z" }
  expect(verdict({ episode: episode([before, testRun]) })).toMatchObject({ hit: true, miss: false })
})

test("if the transcript shows the context, its position counts and not the time", () => {
  const late = { ...sameError, ts: "2026-03-01T10:30:00Z" }
  const shown = event({ role: "user", kind: "message", ts: "", contexts: ["t-1"] })
  expect(verdict({ episode: episode([late, shown, testRun]) })).toMatchObject({ hit: true, miss: false })
  expect(verdict({ episode: episode([shown, late, testRun]) })).toMatchObject({ hit: false, miss: true })
})

const correction = (summary: string, given: Partial<EpisodeEvent> = {}) =>
  event({ role: "user", kind: "message", opener: "correction", summary, ...given })

test("a memory that the user had to repeat did not help; other corrections do not matter", () => {
  const tasks = [task([preference])]
  const misses = (said: EpisodeEvent, similarity = 0) => {
    const likeness = (_: Memory, text: string) => (text === said.summary ? similarity : 0)
    return verdict({ tasks, episode: episode([edit, said]), likeness })?.miss
  }
  expect(misses(correction("no, write it in Vitest"))).toBe(true)
  expect(misses(correction("no, the other file"))).toBe(false)
  expect(misses(correction("no, the other file"), 0.8)).toBe(true)
  expect(misses(correction("no, the other file"), 0.79)).toBe(false)
  expect(misses(correction("write it in Vitest", { role: "assistant" }), 0.9)).toBe(false)
})

test("what the user says the opposite of is a miss, and so are a recommended command that fails and its mistake", () => {
  const yarn = testMemory("m-d0d0d0000000000d", {
    kind: "invariant",
    origin: "user",
    text: "We use yarn here, never npm.",
  })
  const memories = new Map([[yarn.id, yarn]])
  const settled = (...events: EpisodeEvent[]) => verdict({ memories, tasks: [task([yarn])], episode: episode(events) })
  const ran = (command: string, given: Partial<EpisodeEvent> = {}) => event({ action: "run", command, ...given })
  const said = correction("why did you use yarn? that's wrong")
  expect(settled(ran("yarn add zod"), said)).toMatchObject({ contradicted: true, miss: true, hit: false })
  expect(settled(ran("yarn add zod", { is_error: true }))).toMatchObject({ miss: true, hit: false })
  expect(settled(ran("npm install zod"))).toMatchObject({ miss: true, hit: false })
  expect(settled(ran("yarn add zod"))).toMatchObject({ miss: false, hit: true })
  expect(settled(edit)).toMatchObject({ miss: false, hit: false })
})

test("a handle that the assistant names is a hit", () => {
  const cites = event({ role: "assistant", kind: "message", cites: ["m:4f2a91"] })
  expect(verdict({ episode: episode([cites], { error_count: 9 }) })).toMatchObject({ cited: true, hit: true })
  expect(verdict({ episode: episode([{ ...cites, role: "user" }]) })).toMatchObject({ cited: false, hit: false })
})

test("a memory reported as helpful is a hit", () => {
  const tasks = [task([pattern], { outcome: "helped" })]
  expect(verdict({ tasks, episode: episode([]) })?.hit).toBe(true)
})

test("a memory is judged once per episode, however many of its tasks had it", () => {
  const tasks = [task([pattern], {}, "t-1"), task([pattern], {}, "t-2")]
  const { uses } = settle({ tasks, episode: episode([testRun]) })
  expect(uses.map(({ task: name, hit, regretSaved }) => ({ name, hit, regretSaved }))).toEqual([
    { name: "t-1", hit: true, regretSaved: 1.5 },
    { name: "t-2", hit: false, regretSaved: 0 },
  ])
})

test("the credit is shared by the memories that were handed out, and skipped ones get none", () => {
  const third = testMemory("m-c0c0c0000000000c", { trigger })
  const memories = new Map([pattern, preference, third].map((memory) => [memory.id, memory]))
  const passedOver = task([third], { injected: false })
  const tasks = [{ ...passedOver, uses: [...task([pattern, preference]).uses, ...passedOver.uses] }]
  const { uses } = settle({ tasks, memories, episode: episode([testRun]) })
  expect(uses.map(({ hit, regretSaved }) => [hit, regretSaved])).toEqual([
    [true, 0.75],
    [false, 0.75],
    [false, 0],
  ])
})

test("an episode without a context request gives opportunities and no verdicts, and counts for the baseline", () => {
  const unasked = [{ memory: pattern, similarity: 0.5, by: ["head" as const] }]
  expect(settle({ tasks: [], unasked, episode: episode([sameError]) })).toEqual({
    injected: false,
    uses: [
      {
        memory: pattern.id,
        task: undefined,
        exposed: true,
        cited: false,
        hit: false,
        miss: false,
        regretSaved: 0,
        netRegret: 0,
      },
    ],
  })
})

test("contexts without any memory count for the baseline too", () => {
  expect(settle({ tasks: [task([pattern], { injected: false })], episode: episode([testRun]) }).injected).toBe(false)
})

test("a memory that was forgotten meanwhile is ignored", () => {
  expect(settle({ memories: new Map(), episode: episode([testRun]) }).uses).toEqual([])
})

test("a hit renews the lifetime of a guard or a pattern on trial", () => {
  const guard: Memory = {
    ...pattern,
    kind: "guard",
    polarity: -1,
    tier: "emergency",
    expires: "2026-03-02T00:00:00.000Z",
  }
  const memories = new Map([[guard.id, guard]])
  expect(verdict({ memories, episode: episode([testRun]) })?.renewedUntil).toBe("2026-03-08T11:00:00.000Z")
  expect(verdict({ memories, episode: episode([sameError]) })?.renewedUntil).toBeUndefined()
  expect(verdict({ episode: episode([testRun]) })?.renewedUntil).toBe("2026-03-31T11:00:00.000Z")
  const proven = new Map([[pattern.id, { ...pattern, tier: "long_term" as const }]])
  expect(verdict({ memories: proven, episode: episode([testRun]) })?.renewedUntil).toBeUndefined()
})

test("a memory that the assistant named has helped, although no context of the episode contained it", () => {
  const citing = event({ role: "assistant", kind: "message", cites: ["m:b0b0b0"] })
  const given = { named: [preference], episode: episode([citing, edit]) }
  const { uses } = settle(given)
  expect(uses.map(({ memory, task, cited, hit }) => ({ memory, task, cited, hit }))).toEqual([
    { memory: pattern.id, task: "t-1", cited: false, hit: false },
    { memory: preference.id, task: undefined, cited: true, hit: true },
  ])
  const near = { memory: preference, similarity: 0.5, by: ["meaning" as const] }
  expect(settle({ ...given, tasks: [], unasked: [near] }).uses).toMatchObject([{ memory: preference.id, hit: true }])
})

const baseline = { episodes: 5, errors: 2, retries: 1 }
const good: Trial = {
  exposed: true,
  contradicted: false,
  failed: false,
  shown: true,
  credited: false,
  errors: 0,
  retries: 0,
  testsFailed: false,
  injected: 1,
}
const judge = (given: Partial<Trial>, than = baseline) => judgeUse({ ...good, ...given }, than, builtInPolicy)

test("a hit needs exposure, evidence, no failure, no contradiction, and no more errors than without any memory", () => {
  expect(judge({}).hit).toBe(true)
  expect(judge({ errors: 2 }).hit).toBe(true)
  expect(judge({ errors: 3 }).hit).toBe(false)
  expect(judge({ exposed: false }).hit).toBe(false)
  expect(judge({ shown: false }).hit).toBe(false)
  expect(judge({ failed: true }).hit).toBe(false)
  expect(judge({ contradicted: true }).hit).toBe(false)
})

test("without a baseline, passing tests are required, and nothing is credited", () => {
  const young = { ...baseline, episodes: 4 }
  expect(judge({ errors: 9 }, young)).toEqual({ hit: true, miss: false, regretSaved: 0, netRegret: 0 })
  expect(judge({ testsFailed: true }, young).hit).toBe(false)
  expect(judge({ testsFailed: true }, baseline).hit).toBe(true)
})

test("a miss is a failure although the memory was tested, or the user's contradiction", () => {
  expect(judge({ failed: true }).miss).toBe(true)
  expect(judge({ failed: true, exposed: false }).miss).toBe(false)
  expect(judge({ contradicted: true, exposed: false }).miss).toBe(true)
})

test("a reported hit needs no other signal, but does not override a miss", () => {
  expect(judge({ credited: true, exposed: false, errors: 9 }).hit).toBe(true)
  expect(judge({ credited: true, failed: true })).toMatchObject({ hit: false, miss: true })
  expect(judge({ credited: true, contradicted: true }).hit).toBe(false)
})

test("the credit is shared by all that were handed out; the signed difference is kept too", () => {
  expect(judge({ errors: 0, retries: 0, injected: 5 })).toMatchObject({ regretSaved: 0.5, netRegret: 0.5 })
  expect(judge({ errors: 4, retries: 0, injected: 1 })).toMatchObject({ regretSaved: 0.5, netRegret: -1.5 })
  expect(judge({ exposed: false })).toMatchObject({ regretSaved: 0, netRegret: 0 })
})
