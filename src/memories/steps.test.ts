import { expect, test } from "vitest"
import { openDatabase } from "../disk/sqlite.ts"
import { all, awaitSteps, one, run, runSteps, type SqlStep, type Steps } from "./steps.ts"

const table = "CREATE TABLE words (word TEXT PRIMARY KEY)"

function* addWords(...words: string[]): Steps<{ added: number; first: string | undefined }> {
  let added = 0
  for (const word of words) added += yield* run("INSERT INTO words VALUES (?) ON CONFLICT DO NOTHING", word)
  const rows = yield* all<{ word: string }>("SELECT word FROM words ORDER BY word")
  const first = yield* one<{ word: string }>("SELECT word FROM words WHERE word >= :from ORDER BY word", { from: "b" })
  expect(rows).toHaveLength(2)
  return { added, first: first?.word }
}

function* tryTwice(noted: string[]): Steps<string> {
  try {
    yield* run("INSERT INTO nowhere VALUES (1)")
    return "done"
  } catch (error) {
    const row = yield* one<{ n: number }>("SELECT count(*) AS n FROM words")
    return `${(error as Error).message.includes("nowhere")} ${row?.n}`
  } finally {
    noted.push("over")
  }
}

test("the same steps give the same result, whether the database is synchronous or not", async () => {
  const database = openDatabase(":memory:")
  database.exec(table)
  expect(runSteps(database, addWords("b", "a", "b"))).toEqual({ added: 2, first: "b" })
  database.exec("DELETE FROM words")
  const later = async ({ sql, parameters, wants }: SqlStep) => {
    await Promise.resolve()
    const statement = database.prepare(sql)
    return wants === "rows"
      ? { rows: statement.all(...parameters), changes: 0 }
      : { rows: [], changes: statement.run(...parameters).changes }
  }
  expect(await awaitSteps(later, addWords("b", "a", "b"))).toEqual({ added: 2, first: "b" })
  database.close()
})

test("a database error is thrown at its statement", async () => {
  const database = openDatabase(":memory:")
  database.exec(table)
  const noted: string[] = []
  expect(runSteps(database, tryTwice(noted))).toBe("true 0")
  const refuse = async ({ sql }: SqlStep) => {
    if (sql.includes("nowhere")) throw new Error("no such table: nowhere")
    return { rows: [{ n: 0 }], changes: 0 }
  }
  expect(await awaitSteps(refuse, tryTwice(noted))).toBe("true 0")
  expect(noted).toEqual(["over", "over"])
  expect(() => runSteps(database, run("INSERT INTO nowhere VALUES (1)"))).toThrow(/nowhere/)
  database.close()
})
