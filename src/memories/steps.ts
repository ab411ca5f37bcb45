import type { Database, SqlParameters, SqlRow } from "../disk/sqlite.ts"

/** One query and the kind of result wanted. The SQL must run on both SQLite and PostgreSQL. */
export type SqlStep = { sql: string; parameters: SqlParameters; wants: "rows" | "changes" }

export type StepResult = { rows: SqlRow[]; changes: number }

/**
 * A store method as a generator of queries, each run after the previous result: synchronously on SQLite, awaited on
 * PostgreSQL.
 */
export type Steps<Result> = Generator<SqlStep, Result, StepResult>

export function* all<Row>(sql: string, ...parameters: SqlParameters): Steps<Row[]> {
  const { rows } = yield { sql, parameters, wants: "rows" }
  return rows as Row[]
}

export function* one<Row>(sql: string, ...parameters: SqlParameters): Steps<Row | undefined> {
  const [row] = yield* all<Row>(sql, ...parameters)
  return row
}

/** Returns the number of changed rows. */
export function* run(sql: string, ...parameters: SqlParameters): Steps<number> {
  const { changes } = yield { sql, parameters, wants: "changes" }
  return changes
}

/** No await between two steps, so that they can be one SQLite transaction. */
export function runSteps<Result>(database: Database, steps: Steps<Result>): Result {
  let turn = steps.next()
  while (!turn.done) {
    let answer: StepResult
    try {
      answer = answerOf(database, turn.value)
    } catch (error) {
      turn = steps.throw(error)
      continue
    }
    turn = steps.next(answer)
  }
  return turn.value
}

function answerOf(database: Database, { sql, parameters, wants }: SqlStep): StepResult {
  const statement = database.prepare(sql)
  return wants === "rows"
    ? { rows: statement.all(...parameters), changes: 0 }
    : { rows: [], changes: statement.run(...parameters).changes }
}

/** The same for an asynchronous database. */
export async function awaitSteps<Result>(
  ask: (step: SqlStep) => Promise<StepResult>,
  steps: Steps<Result>,
): Promise<Result> {
  let turn = steps.next()
  while (!turn.done) {
    let answer: StepResult
    try {
      answer = await ask(turn.value)
    } catch (error) {
      turn = steps.throw(error)
      continue
    }
    turn = steps.next(answer)
  }
  return turn.value
}
