import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { decisionTypes, discoveryTypes } from "../src/formats/session/session-id.ts"
import { readTree, writeFiles } from "./run-cli.ts"
import { expectRefusal, refuses, sessionShell, started } from "./session-shell.ts"

describe("discover", () => {
  test("prints the id alone; as JSON the entry with agent and session", async () => {
    const { say, ask, id } = await started()
    expect(await say("discover", "Mails leave through one queue", "--type", "code_pattern")).toBe("discovery-001\n")
    const flags = ["--importance", "high", "--summary", "One pool", "--file", "src/a.ts", "--file", "src/b.ts"]
    const more = ["--action-item", "Measure it", "--agent", "tester"]
    expect(await ask("discover", "Four connections.", "--type", "data_model", ...flags, ...more)).toMatchObject({
      id: "discovery-001",
      type: "data_model",
      importance: "high",
      content: "Four connections.",
      summary: "One pool",
      relatedFiles: ["src/a.ts", "src/b.ts"],
      actionItems: ["Measure it"],
      agent: "tester",
      session: id,
    })
  })

  test("an option that may be given again does not swallow the text behind it", async () => {
    const { ask } = await started()
    expect(await ask("discover", "--type", "code_pattern", "--file", "a.ts", "It is slow")).toMatchObject({
      content: "It is slow",
      relatedFiles: ["a.ts"],
    })
  })

  test.each([
    ["an argument", ["It is slow"], ""],
    ["stdin", [], "It is slow\n"],
    ["stdin by a dash", ["-"], "It is slow\r\n"],
  ])("takes the text from %s", async (_, args, input) => {
    const { run } = await started()
    const { stdout } = await run(["discover", ...args, "--type", "code_pattern", "--json"], { input })
    expect(JSON.parse(stdout).content).toBe("It is slow")
  })

  test("keeps the lines of a longer text", async () => {
    const { run, folder } = await started()
    const content = "Dependencies:\n- one\n- two # not a comment"
    const { stdout } = await run(["discover", "--type", "code_pattern", "--json"], { input: content })
    expect(JSON.parse(stdout).content.trimEnd()).toBe(content)
    expect(readFileSync(join(folder, "agent-memory.yaml"), "utf8")).toContain("- two # not a comment")
  })

  test("without a text, or with an invalid one, nothing is written", async () => {
    const { run, root } = await started()
    const before = readTree(root)
    await refuses(run, [
      [["discover", "--type", "code_pattern"], 2, /There is no discovery/],
      [["discover", "  ", "--type", "code_pattern"], 2, /There is no discovery/],
      [["discover", "It is slow"], 2, /--type/],
      [["discover", "It", "is", "slow", "--type", "code_pattern"], 2, /too many arguments/],
      [["discover", "It is slow", "--type", "code_pattern", "--importance", "huge"], 2, /critical/],
    ])
    expect(readTree(root)).toEqual(before)
  })

  test("a mistyped type is not taken; one of one's own is, with a word about it", async () => {
    const { run } = await started()
    await refuses(run, [
      [["discover", "x", "--type", "code_patern"], 2, /Did you mean code_pattern\?/],
      [["discover", "x", "--type", "failure"], 2, /Did you mean failure_cause\?/],
    ])
    const own = await run(["discover", "x", "--type", "load_profile"])
    expect(own).toMatchObject({ code: 0, stdout: "discovery-001\n" })
    expect(own.stderr.match(/load_profile/g)).toHaveLength(1)
  })
})

describe("attempt", () => {
  test("start, update and finish carry every flag to the entry", async () => {
    const { ask, id } = await started()
    const how = ["--approach", "Headless", "--step", "2", "--command", "npm i", "--command", "npm test"]
    expect(await ask("attempt", "start", "Render the PDF in Chromium", ...how)).toMatchObject({
      id: "attempt-001",
      agent: "developer",
      session: id,
      similar: [],
      attempt: { approach: "Headless", planStep: 2, commands: ["npm i", "npm test"], result: "in_progress" },
    })
    const changes = [
      "--status",
      "stuck",
      "--progress",
      "60%",
      "--issue",
      "No font",
      "--next-step",
      "Ask",
      "--output",
      "-",
    ]
    expect(await ask("attempt", "update", "attempt-001", "--approach", "With Firefox", ...changes)).toMatchObject({
      approach: "With Firefox",
      status: "stuck",
      progress: "60%",
      currentIssue: "No font",
      nextStep: "Ask",
      output: "-",
    })
    const end = ["--result", "failure", "--error", "No browser", "--lessons", "Read first", "--next-attempt", "pdf-lib"]
    const files = ["--artifact", "src/report.ts:create", "--artifact", "C:/notes.md"]
    const cost = ["--iterations", "3", "--tokens-input", "2100", "--tokens-output", "900"]
    expect(await ask("attempt", "finish", "attempt-001", ...end, ...files, ...cost)).toMatchObject({
      result: "failure",
      error: "No browser",
      lessons: "Read first",
      nextAttempt: "pdf-lib",
      artifacts: [{ path: "src/report.ts", action: "create" }, { path: "C:/notes.md" }],
      iterations: 3,
      tokensUsed: { input: 2100, output: 900 },
    })
  })

  test("one like a failed one of another agent is begun with a warning beside its id", async () => {
    const { say, run, ask } = await started()
    await say("attempt", "start", "Render the PDF in headless Chromium")
    await say("attempt", "finish", "attempt-001", "--result", "failure", "--error", "Chromium is not in the image")
    const again = ["attempt", "start", "Rendering the PDF by a headless Chromium", "--agent", "tester"]
    expect(await run(again)).toMatchObject({
      code: 0,
      stdout: "attempt-001\n",
      stderr: "⚠ similar to failed attempt-001 (developer): Chromium is not in the image\n",
    })
    const { similar } = await ask<{ similar: object[] }>(...again)
    expect(similar).toMatchObject([{ agent: "developer", attemptId: "attempt-001", result: "failure" }])
  })

  test("as text each prints the id and its state", async () => {
    const { say } = await started()
    expect(await say("attempt", "start", "Draw it")).toBe("attempt-001\n")
    expect(await say("attempt", "update", "attempt-001", "--progress", "60%")).toBe("attempt-001: in progress, 60%\n")
    expect(await say("attempt", "finish", "attempt-001", "--result", "success")).toBe("attempt-001: success\n")
  })

  test("what cannot be meant is refused", async () => {
    const { run, say } = await started()
    await say("attempt", "start", "Draw it")
    await say("attempt", "start", "Draw it", "--agent", "tester")
    const finish = ["attempt", "finish", "attempt-001"]
    await refuses(run, [
      [[...finish, "--result", "success"], 2, /developer[\s\S]*tester[\s\S]*--agent/],
      [[...finish, "--result", "fine"], 2, /success, failure, partial/],
      [[...finish, "--result", "in_progress"], 2, /success, failure, partial/],
      [finish, 2, /--result/],
      [["attempt", "finish", "attempt-9", "--result", "success"], 1, /no attempt "attempt-9"/],
      [["attempt", "update", "attempt-001"], 2, /No changes given/],
      [["attempt", "start", "x", "--step", "0"], 2, /whole number from 1/],
      [["attempt", "start"], 2, /There is no description/],
      [[...finish, "--result", "success", "--iterations", "two"], 2, /"two" is not a number/],
    ])
  })
})

test("decide carries every flag to the entry", async () => {
  const { ask, run, id } = await started()
  const why = [
    "--type",
    "architectural",
    "--impact",
    "high",
    "--reasoning",
    "The image has no browser",
    "--irreversible",
  ]
  const instead = ["--alternative", "Chromium: not in the image: 300 MB", "--alternative", "API keys"]
  const links = ["--discovery", "discovery-001", "--discovery", "discovery-002", "--attempt", "attempt-001"]
  expect(await ask("decide", "Draw the PDF", ...why, ...instead, ...links)).toMatchObject({
    id: "decision-001",
    type: "architectural",
    description: "Draw the PDF",
    reasoning: "The image has no browser",
    impact: "high",
    reversible: false,
    alternatives: [
      { name: "Chromium", reason: "not in the image: 300 MB" },
      { name: "API keys", reason: "" },
    ],
    relatedDiscoveries: ["discovery-001", "discovery-002"],
    relatedAttempts: ["attempt-001"],
    agent: "developer",
    session: id,
  })
  await refuses(run, [
    [["decide", "x", "--type", "architectual"], 2, /Did you mean architectural\?/],
    [["decide", "x", "--type", "skip", "--reversible", "--irreversible"], 2, /cannot be used with/],
  ])
})

describe("context", () => {
  test("is shown, set, added to and taken from", async () => {
    const { ask, say } = await started()
    expect(await say("context")).toBe("developer\nnothing recorded yet\n")
    const set = ["--set", "currentPlanStep=2", "--set", "taskContext.paper=A4", "--set", "planStepStatus=open = yes"]
    const add = ["--add", "blockers=No database", "--add", "blockers=No key", "--add", "openQuestions=Which port?"]
    expect(await ask("context", ...set, ...add)).toMatchObject({
      agent: "developer",
      context: {
        currentPlanStep: 2,
        planStepStatus: "open = yes",
        taskContext: { paper: "A4" },
        blockers: ["No database", "No key"],
        openQuestions: ["Which port?"],
      },
    })
    const shown = await say("context", "--remove", "blockers=No database", "--set", "taskContext.paper=")
    expect(shown).toContain("- No key")
    expect(shown).not.toMatch(/No database|A4/)
  })

  test("a list that there is not, or a value of the wrong kind, changes nothing", async () => {
    const { run, root } = await started()
    const before = readTree(root)
    await refuses(run, [
      [["context", "--add", "blocker=x"], 2, /Did you mean blockers\?/],
      [["context", "--add", "blockers"], 2, /is not list=text/],
      [["context", "--set", "currentPlanStep=soon"], 2, /currentPlanStep/],
      [["context", "--set", "../x=1"], 2, /is not a field name/],
    ])
    expect(readTree(root)).toMatchObject(before) // beside a lock, which holds nothing
  })
})

describe("plan", () => {
  test("is written step by step, shown, and followed", async () => {
    const { say, ask, id } = await started()
    expect(await say("plan")).toBe(`${id} has no plan yet.\n`)
    const steps = ["--step-description", "Draw the PDF", "--step-description", "Attach it to the mail"]
    expect(await say("plan", ...steps)).toMatch(
      /version 1, draft\]\n {2}1\. Draw the PDF\n {2}2\. Attach it to the mail\n$/,
    )
    expect(await say("plan", "--status", "1=complete", "--status", "2=in_progress")).toMatch(
      /in_progress\]\n✓ 1\. Draw the PDF\n▸ 2\. Attach it to the mail\n$/,
    )
    expect(await ask("plan")).toMatchObject({ session: id, plan: { version: 1, steps: [{ index: 0 }, { index: 1 }] } })
  })

  test.each([
    [
      "YAML",
      "plan.yaml",
      "task: Send the report\nsteps:\n  - Drawing\n  - description: Mail\n    suggestedAgent: tester\n",
    ],
    [
      "JSON",
      "plan.json",
      '{"task":"Send the report","steps":["Drawing",{"description":"Mail","suggestedAgent":"tester"}]}',
    ],
  ])("comes from a file in %s", async (_, name, text) => {
    const { root, ask } = await started()
    writeFileSync(join(root, name), text)
    const { plan } = await ask<{ plan: object }>("plan", "--file", name, "--agent", "developer")
    expect(plan).toMatchObject({
      createdBy: "developer",
      steps: [{ description: "Drawing" }, { description: "Mail", suggestedAgent: "tester" }],
    })
  })

  test("a file that is not a plan is refused with the place", async () => {
    const { root, run } = await started()
    writeFiles(root, {
      "broken.yaml": "steps:\n  - a: [\n",
      "nothing.yaml": "task: Send the report\n",
      "nameless.yaml": "steps:\n  - Drawing\n  - owner: tester\n",
    })
    await refuses(run, [
      [["plan", "--file", "broken.yaml"], 2, /broken\.yaml:\d+:\d+ is not a plan/],
      [["plan", "--file", "nothing.yaml"], 2, /nothing\.yaml:1:1 is not a plan: there are no `steps`/],
      [["plan", "--file", "nameless.yaml"], 2, /nameless\.yaml:3:5 .*description/],
      [["plan", "--file", "missing.yaml"], 2, /missing\.yaml does not exist/],
      [["plan", "--file", "broken.yaml", "--step-description", "x"], 2, /cannot be combined/],
      [["plan", "--status", "1=done"], 2, /pending, in_progress, complete, failed, skipped/],
      [["plan", "--status", "1=complete"], 1, /has no plan/],
    ])
  })
})

test("say adds a message", async () => {
  const { say, ask, run, id } = await started()
  expect(await say("say", "A4,", "please", "--role", "user")).toBe("message-001\n")
  expect(await ask("say", "I will", "--role", "assistant", "--agent", "developer")).toMatchObject({
    id: "message-002",
    role: "assistant",
    content: "I will",
    agent: "developer",
    session: id,
  })
  expectRefusal(await run(["say", "--role", "user"]), 2, /There is no message/)
})

test("help names every type that is known", async () => {
  const { say } = sessionShell()
  const words = (text: string) => text.replace(/\s+/g, " ")
  expect(words(await say("discover", "--help"))).toContain(discoveryTypes.join(", "))
  expect(words(await say("decide", "--help"))).toContain(decisionTypes.join(", "))
})
