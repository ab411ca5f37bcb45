import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { allClients } from "../../src/clients/all-clients.ts"
import { openDrey } from "../../src/drey.ts"
import { queryOf } from "../../src/formats/query.ts"
import type { StoredItem } from "../../src/index/index-store.ts"
import { listTranscripts } from "../learning/list-transcripts.ts"
import { fts5 } from "../recall/arm-fts5.ts"

/** A question about earlier work, and the line of a transcript that is in the episode it means. */
type Question = { question: string; transcript: string; line: number }

/** Whether the right episode is among the first five, by Drey and by FTS5 over the raw messages of the transcripts. */
export async function printQuestions(folder: string, file: string): Promise<void> {
  const questions = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line): Question => JSON.parse(line))
  const place = mkdtempSync(join(tmpdir(), "drey-bench-past-"))
  const root = join(place, "project")
  mkdirSync(join(root, ".squad"), { recursive: true })
  const environment = { HOME: place, DREY_HOME: join(place, ".drey"), PATH: process.env.PATH }
  const drey = openDrey({ root, environment, warn: () => {} })
  try {
    const transcripts = listTranscripts(folder)
    await drey.memories.ingest({ files: transcripts.map(({ path }) => path) })
    const episodes = await drey.search.past.conversations(100_000)
    const right = questions.map((question) => episodeAt(episodes, question))
    const byDrey = []
    for (const { question } of questions) {
      const { hits } = await drey.search.items({ query: queryOf(`source:conversation ${question}`), limit: 20 })
      byDrey.push(hits.map(({ id }) => id))
    }
    const byMessages = await askMessages(transcripts, episodes, questions)
    console.log(
      `\n### ${questions.length} questions about ${episodes.length} episodes in ${transcripts.length} transcripts`,
    )
    for (const [name, found] of [
      ["Drey", byDrey],
      ["FTS5 over messages", byMessages],
    ] as const) {
      const ranks = found.map((ids, at) => ids.indexOf(right[at]?.id ?? "") + 1)
      const within = (most: number) => ranks.filter((rank) => rank > 0 && rank <= most).length
      const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length
      console.log(
        `${name.padEnd(20)} first ${within(1)}, first five ${within(5)} of ${ranks.length} (${Math.round((100 * within(5)) / ranks.length)} %), MRR ${mrr.toFixed(2)}`,
      )
      if (name === "Drey")
        for (const [at, rank] of ranks.entries())
          if (rank === 0 || rank > 5) console.log(`  missed (rank ${rank || "over 20"}): ${questions[at]?.question}`)
    }
    const unlabelled = right.filter((each) => each === undefined).length
    if (unlabelled > 0) console.log(`  ${unlabelled} questions name a transcript that is not there`)
  } finally {
    await drey.close()
    rmSync(place, { recursive: true, force: true })
  }
}

/** The last episode of the transcript that begins at the line or before it. */
function episodeAt(
  episodes: readonly StoredItem[],
  { transcript, line }: Omit<Question, "question">,
): StoredItem | undefined {
  return episodes
    .filter(({ path }) => path.includes(transcript))
    .sort((one, other) => one.line - other.line)
    .findLast((each, at) => at === 0 || each.line <= line)
}

async function askMessages(
  transcripts: ReturnType<typeof listTranscripts>,
  episodes: readonly StoredItem[],
  questions: readonly Question[],
): Promise<string[][]> {
  const documents = []
  for (const transcript of transcripts) {
    const client = allClients.find(({ id }) => id === transcript.client)
    if (!client) continue
    for await (const { events } of client.read(transcript))
      for (const { kind, text, line } of events) {
        const episode = kind === "message" ? episodeAt(episodes, { transcript: transcript.path, line }) : undefined
        if (episode)
          documents.push({ id: `${episode.id} ${documents.length}`, title: "", text, origin: "", position: 0 })
      }
  }
  const opened = await fts5.open({ name: "messages", documents, split: "development" })
  const found = []
  for (const { question } of questions) {
    const hits = await opened.search(question, 500)
    found.push([...new Set(hits.map(({ id }) => id.split(" ")[0] ?? ""))])
  }
  await opened.close()
  return found
}
