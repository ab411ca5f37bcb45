import { ownStatements } from "./learning/writer/rules/own-statement.ts"

/** Whether a prompt states a rule for the team, judged without opening anything but the vector table. */
export function statesOwnRule(text: string): boolean {
  return ownStatements(text).length > 0
}
