import type { Drey } from "../../../src/drey.ts"

/** What agents wrote to the team's governed memory, or tried to. `at` moves the clock to so many hours ago. */
export async function writeMemories(drey: Drey, at: (hours: number) => void): Promise<void> {
  const memory = drey.governed
  const write = async (hours: number, author: string, title: string, content: string) => {
    at(hours)
    await memory.write({ author, class: "LOCAL", title, content })
  }
  const key = ["sk", "live", "51H8a9".repeat(4)].join("_") // in pieces, so that it is not taken for a real key
  await write(420, "kane", "Port of the bank's sandbox", "The bank's sandbox listens on port 8443.")
  await write(300, "rhea", "Where the logs are", "The logs of the ticket office are kept for thirty days.")
  await write(260, "mira", "The font service", `The key of the font service is ${key}`)
  await write(150, "otto", "The slowest test", "The test of the timetable import takes eleven seconds.")
  at(140)
  const slowest = (await memory.list()).find(({ title }) => title === "The slowest test")
  if (slowest) await memory.delete(slowest.id, "otto")
}
