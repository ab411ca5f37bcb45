import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Session } from "../src/sessions/session-api.ts"
import { canaries } from "./canaries.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { leaksIn, type Planted, piecesOf, secretReasons } from "./planted-secrets.ts"
import { readTree } from "./run-cli.ts"
import { sessionPlace } from "./session-place.ts"

const kinds = secretReasons.flatMap((reason) => Object.entries(canaries[reason]))

type Planting = {
  planted: Planted[]
  /** A fresh secret, of the next kind each time. */
  secretIn(place: string): string
  /** One that could be a name: letters, digits and an underscore. */
  tokenIn(place: string): string
}

function plantSecrets(): Planting {
  const planted: Planted[] = []
  const plant = (what: string, make: () => string) => {
    const secret = make()
    planted.push({ what, pieces: piecesOf(secret) })
    return secret
  }
  return {
    planted,
    secretIn(place) {
      const [kind, make] = kinds[planted.length % kinds.length] ?? ["", () => ""]
      return plant(`${kind} in ${place}`, make)
    },
    tokenIn: (place) => plant(`token as ${place}`, canaries["access token"]["GitHub ghp"] ?? (() => "")),
  }
}

/** Every file of the repository and of the home that Drey's own folder is in, by name and by content. */
function filesOf({ root, home }: LearningPlace): Record<string, string> {
  const files = { ...readTree(root), ...readTree(home) }
  return { ...files, "the names of all files": Object.keys(files).join("\n") }
}

/** Writes secrets to every field of everything that a session can record. */
async function tellAll(session: Session, agent: string, { secretIn, tokenIn }: Planting): Promise<void> {
  const say = (place: string) => `First log in with ${secretIn(place)}`
  await session.addDiscovery(agent, {
    type: secretIn("a discovery's type"),
    content: `One line\n${say("a discovery")}\nanother`,
    summary: say("a summary"),
    relatedFiles: [say("a related file")],
    actionItems: [say("an action item")],
  })
  const { attempt } = await session.startAttempt(agent, {
    description: say("an attempt"),
    approach: say("an approach"),
    commands: [`curl -H '${secretIn("a command")}'`],
  })
  await session.updateAttempt(
    attempt.id,
    {
      status: say("a status"),
      progress: say("progress"),
      currentIssue: say("an issue"),
      nextStep: say("a next step"),
      subTasks: [{ description: say("a sub-task"), status: "pending" }],
    },
    { agent },
  )
  await session.finishAttempt(
    attempt.id,
    {
      result: "failure",
      error: say("an error"),
      output: `PATH=/usr/bin\n${secretIn("an output")}\nHOME=/root`,
      lessons: say("lessons"),
      nextAttempt: say("a next attempt"),
      summary: say("an attempt's summary"),
      artifacts: [
        { path: say("an artifact's path"), action: say("an artifact's action"), content: say("an artifact") },
      ],
    },
    { agent },
  )
  await session.addDecision(agent, {
    type: secretIn("a decision's type"),
    description: say("a decision"),
    reasoning: say("a reasoning"),
    alternatives: [{ name: say("an alternative"), reason: say("its reason") }],
    relatedDiscoveries: [secretIn("a reference")],
    relatedAttempts: [secretIn("another reference")],
  })
  await session.updateContext(agent, {
    set: {
      planStepStatus: say("a status"),
      taskContext: { [secretIn("a key")]: { deep: [say("a deep value")] } },
      filesInScope: [{ path: say("a path"), status: say("a status"), purpose: say("a purpose") }],
      [tokenIn("the name of a field")]: 1,
      [`taskContext.${tokenIn("the name of an inner field")}`]: 1,
    },
    add: { blockers: [say("a blocker")], openQuestions: [say("a question")], assumptions: [say("an assumption")] },
  })
  await session.plan.set({
    task: say("a plan's task"),
    createdBy: say("a plan's author"),
    steps: [
      { description: say("a step"), instructions: say("instructions"), acceptanceCriteria: [say("a criterion")] },
    ],
    metadata: { tags: [say("a tag")], constraints: [say("a constraint")], informedByMemories: [] },
  })
  await session.plan.updateStep(1, {
    status: "failed",
    error: say("a step's error"),
    executedBy: say("who did a step"),
  })
  await session.addMessage({
    agent,
    role: secretIn("a role"),
    content: say("a message"),
    toolCalls: [{ name: "bash", input: { [secretIn("a tool's key")]: say("a tool call") } }],
    toolResults: [say("a tool result")],
  })
  await session.updateState({
    provider: say("a provider"),
    lastArbiterDecision: { reason: say("an arbiter's decision") },
    lastError: { message: say("the last error"), tool: say("a tool"), category: "unknown", recoveryOptions: [] },
    history: [{ note: say("the state's history") }],
  })
}

/** Every command with every option that takes words: `<place>` becomes a sentence with a secret in it, `<<place>>` a bare token. */
const commands = [
  "start <task> --agent <<name_of_an_agent>>",
  "discover <discovery> --type data_model --summary <summary> --file <file> --action-item <item>",
  "discover x --type <<type>> --agent <<name_of_a_further_agent>>",
  "attempt start <attempt> --approach <approach> --command <command>",
  "attempt update attempt-001 --description <description> --issue <issue> --status <status> --progress <progress>",
  "attempt update attempt-001 --next-step <next_step> --output <output> --agent <<unknown_agent>>",
  "attempt update attempt-001 --next-step <next_step> --output <output>",
  "attempt finish attempt-001 --result failure --error <error> --lessons <lessons> --next-attempt <next> --artifact <path>",
  "attempt finish <<id_of_an_attempt>> --result success",
  "decide <decision> --type skip --reasoning <reasoning> --alternative <alternative>",
  "decide x --type <<type>> --discovery <<id_of_a_discovery>> --attempt <<id_of_an_attempt>>",
  'context --set taskContext={"<<key>>":"<<value>>"}',
  "context --set <<field>>=1",
  "context --set taskContext.<<inner_field>>=1",
  "context --set <<other_field>>=<value> --add blockers=<blocker> --remove blockers=<other_blocker>",
  "context --add <<name_of_a_list>>=x",
  "plan --step-description <step>",
  "plan --status <<number_of_a_step>>=complete",
  "plan --status 1=<<status_of_a_step>>",
  "say <message> --role <<role>>",
  "prompt --agent <<agent_of_a_prompt>>",
  "arbiter --approach <approach> --topic <topic>",
  "show <<id_of_an_entry>>",
  "show --session <<id_of_a_session>>",
  "archive <<id_of_a_session>>",
  "graduate --only <<id_of_an_entry>>",
  "cleanup --older-than <<age>>",
  "cleanup --keep <<number_of_sessions>>",
  "show",
  "end --summary <summary>",
  "graduate --yes",
  "list",
  "export --out session.json",
  "export",
]

describe("a secret said to a session", () => {
  test("is in no file below the repository and Drey's own folder, whatever kind it is and whichever field it was in", async () => {
    const it = learningPlace()
    const planting = plantSecrets()
    const { planted, secretIn, tokenIn } = planting
    const sessions = it.open().sessions
    const session = await sessions.start({
      task: `Log in with ${secretIn("a task")}`,
      agent: tokenIn("an agent's name"),
    })
    for (let round = 0; round < 70; round++) await tellAll(session, "tester", planting) // each field meets another kind each time
    expect(planted.length).toBeGreaterThan(25 * kinds.length)
    await session.end({ summary: `Logged in with ${secretIn("a result")}` })
    await it.run("session", "graduate", session.id, "--yes")
    await it.run("search", "log in")
    expect(Object.keys(readTree(session.folder))).toContain("agent-memory-archive.tester.yaml")
    expect(leaksIn(filesOf(it), planted)).toEqual([])
  }, 240_000)

  test("by any command and option is in no file, and in nothing that the commands print", async () => {
    const it = await sessionPlace("Log in")
    const { planted, secretIn, tokenIn } = plantSecrets()
    const told: Record<string, string> = {}
    for (const command of commands) {
      const args = command
        .split(" ")
        .map((arg) =>
          arg
            .replace(/<<(\w+)>>/, (_, place: string) => tokenIn(place))
            .replace(/<(\w+)>/, (_, place: string) => `First log in with ${secretIn(place)}`),
        )
      const { code, stdout, stderr } = await it.session(...args)
      expect([0, 1, 2], stderr).toContain(code)
      told[`what ${command} prints`] = stdout + stderr
    }
    await it.run("search", "log in")
    const files = filesOf(it)
    expect(leaksIn(files, planted)).toEqual([])
    expect(files["session.json"]).toContain("[secret: ")
    expect(leaksIn(told, planted)).toEqual([])
  }, 120_000)
})

test("a secret that the user wrote into a session's file is reported by validate, and reaches neither a prompt nor what is kept beyond the session", async () => {
  const it = await sessionPlace("Log in")
  const { planted, secretIn } = plantSecrets()
  const path = join(it.folder, "agent-memory.yaml")
  const quoted = (place: string) => JSON.stringify(`First log in with ${secretIn(place)}\nand go on`)
  const entries = (make: () => string) =>
    kinds.map((_, at) => `  - { id: entry-${at}, timestamp: "2026-03-10T06:10:00.000Z", ${make()} }`).join("\n")
  const written = `version: "1"
schema: agent-memory
sessionId: ${it.id}
agent: developer
createdAt: "2026-03-10T06:00:00.000Z"
discoveries:
${entries(() => `type: solution_verified, importance: critical, content: ${quoted("a discovery")}`)}
attempts:
${entries(() => `description: ${quoted("an attempt")}, result: failure, error: ${quoted("an error")}, lessons: ${quoted("lessons")}`)}
decisions:
${entries(() => `type: architectural, impact: high, description: ${quoted("a decision")}, reasoning: ${quoted("a reasoning")}`)}
context:
  blockers: [${quoted("a blocker")}]
`
  writeFileSync(path, written)
  const validation = await it.session("validate")
  for (const line of [7, 8, 8 + kinds.length])
    expect(validation.stdout).toMatch(new RegExp(`yaml:${line}:\\d+ .*secret`))
  const told: Record<string, string> = { validate: validation.stdout + validation.stderr }
  for (const args of [
    ["prompt", "You test.", "--agent", "developer"],
    ["prompt", "You test.", "--agent", "tester"],
    ["arbiter", "Who?", "--approach", "Log in with a token", "--topic", "Log in"],
    ["graduate"],
    ["graduate", "--yes"],
  ])
    told[args.slice(0, 4).join(" ")] = Object.values(await it.session(...args)).join("\n")
  expect(JSON.stringify(told)).toContain("[secret: ")
  const { [path.slice(it.root.length + 1)]: own, ...others } = filesOf(it)
  expect(leaksIn({ ...told, ...others }, planted)).toEqual([])
  expect(own?.split("\n").filter((line) => line !== "" && !written.includes(line))).toEqual([])
})
