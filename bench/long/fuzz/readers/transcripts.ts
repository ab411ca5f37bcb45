import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { claudeCode } from "../../../../src/clients/claude-code/transcript.ts"
import type { Client, Transcript } from "../../../../src/clients/client.ts"
import { longestText } from "../../../../src/clients/client.ts"
import { cline } from "../../../../src/clients/cline/transcript.ts"
import { codex } from "../../../../src/clients/codex/transcript.ts"
import { copilotCli } from "../../../../src/clients/copilot-cli/transcript.ts"
import { cursor } from "../../../../src/clients/cursor/transcript.ts"
import { droid } from "../../../../src/clients/droid/transcript.ts"
import { geminiCli } from "../../../../src/clients/gemini-cli/transcript.ts"
import { kiro } from "../../../../src/clients/kiro/transcript.ts"
import { pi } from "../../../../src/clients/pi/transcript.ts"
import { vscodeCopilot } from "../../../../src/clients/vscode-copilot/transcript.ts"
import { windsurf } from "../../../../src/clients/windsurf/transcript.ts"
import type { TranscriptEvent } from "../../../../src/formats/client-events.ts"
import { compressEvent } from "../../../../src/learning/episodes/compressed-event.ts"
import { expectThat, type Reader } from "../reader.ts"
import {
  clineSession,
  clineTask,
  cursorLines,
  droidLines,
  kiroLines,
  piLines,
  vscodeDocument,
  vscodeLog,
  windsurfLines,
} from "./transcript-examples.ts"

type Form = { name: string; client: Client; file: string; share: number; examples: () => string[]; binary?: true }

const session = "3d0c5b1e-7a44-4f0e-9a63-0b8a5f1d2c77"

const forms: readonly Form[] = [
  {
    name: "claude-code",
    client: claudeCode,
    file: `${session}.jsonl`,
    share: 25,
    examples: () => fixtures("claude-code"),
  },
  {
    name: "codex",
    client: codex,
    file: `rollout-2026-03-02-${session}.jsonl`,
    share: 25,
    examples: () => fixtures("codex", ".jsonl"),
  },
  {
    name: "codex-packed",
    client: codex,
    file: `rollout-2026-03-02-${session}.jsonl.zst`,
    share: 8,
    examples: () => fixtures("codex", ".zst"),
    binary: true,
  },
  {
    name: "gemini-cli",
    client: geminiCli,
    file: `session-${session}.jsonl`,
    share: 20,
    examples: () => fixtures("gemini-cli", ".jsonl"),
  },
  {
    name: "gemini-cli-document",
    client: geminiCli,
    file: `session-${session}.json`,
    share: 12,
    examples: () => fixtures("gemini-cli", ".json"),
  },
  { name: "copilot-cli", client: copilotCli, file: "events.jsonl", share: 25, examples: () => fixtures("copilot-cli") },
  { name: "cursor", client: cursor, file: `${session}.jsonl`, share: 15, examples: () => [cursorLines] },
  {
    name: "vscode-copilot",
    client: vscodeCopilot,
    file: `${session}.json`,
    share: 15,
    examples: () => [vscodeDocument],
  },
  {
    name: "vscode-copilot-log",
    client: vscodeCopilot,
    file: `${session}.jsonl`,
    share: 15,
    examples: () => [vscodeLog],
  },
  { name: "cline-task", client: cline, file: "api_conversation_history.json", share: 15, examples: () => [clineTask] },
  { name: "cline-session", client: cline, file: `${session}.messages.json`, share: 12, examples: () => [clineSession] },
  { name: "windsurf", client: windsurf, file: `${session}.jsonl`, share: 15, examples: () => [windsurfLines] },
  { name: "pi", client: pi, file: `${session}.jsonl`, share: 15, examples: () => [piLines] },
  { name: "kiro", client: kiro, file: `${session}.jsonl`, share: 10, examples: () => kiroLines },
  { name: "droid", client: droid, file: `${session}.jsonl`, share: 15, examples: () => [droidLines] },
]

/** A reader for each form of transcript: a file as its client leaves it. */
export const transcripts: readonly Reader[] = forms.map(({ name, client, file, share, examples, binary }) => ({
  name: `transcript-${name}`,
  share,
  examples,
  ...(binary ? { binary, largest: 0 } : { largest: 256 * 1024 }),
  open() {
    const folder = mkdtempSync(join(tmpdir(), "drey-fuzz-"))
    const path = join(folder, file)
    return {
      async read(input) {
        writeFileSync(path, input)
        client.recognises(path, input.subarray(0, 65536).toString("utf8"))
        return readTranscript(client, { client: client.id, path })
      },
      close: () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}))

/** Reads a transcript to its end, looks at each event as learning does, and asks again from there. */
export async function readTranscript(client: Client, transcript: Transcript): Promise<unknown> {
  const events: TranscriptEvent[] = []
  let position: Parameters<Client["read"]>[1]
  for await (const batch of client.read(transcript)) {
    events.push(...batch.events)
    position = batch.position
  }
  for (const event of events) expectWellFormed(event)
  for await (const batch of client.read(transcript, position))
    expectThat(batch.events.length === 0, "what was read is not told again")
  return events.map((event) => compressEvent(event, "/work"))
}

function expectWellFormed({ id, session, ts, kind, text, line }: TranscriptEvent): void {
  expectThat(
    [id, session, ts, text].every((each) => typeof each === "string") && id !== "" && session !== "",
    "an event has its ids",
  )
  expectThat(
    ts === "" || (!Number.isNaN(Date.parse(ts)) && new Date(ts).toISOString() === ts),
    "a time is written in one way",
  )
  expectThat(text.length <= longestText && Number.isInteger(line), "a text is cut")
  expectThat(kind !== "message" || text.trim() !== "", "a message has words")
}

const examplesOf = new Map<string, string[]>()

function fixtures(client: string, ending = ".jsonl"): string[] {
  const key = `${client}${ending}`
  const known = examplesOf.get(key)
  if (known) return known
  const read = ["test/fixtures/transcripts", "test/fixtures/labelled/tuned"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.startsWith(client) && path.endsWith(ending) && !path.endsWith(".labels.json"))
      .map((path) => readFileSync(join(folder, path), ending === ".zst" ? "latin1" : "utf8")),
  )
  examplesOf.set(key, read)
  return read
}
