import type { StandardSchemaV1 } from "@modelcontextprotocol/server"

type Given = Readonly<Record<string, unknown>>

/** What is asked for by `resources/read`. */
export const resourceParams = paramsOf(({ uri }: Given) =>
  typeof uri === "string" ? { value: { uri } } : { problem: '"uri" must be a text' },
)

/** What is asked for by `prompts/get`. */
export const promptParams = paramsOf(({ name, arguments: given = {} }: Given) => {
  if (typeof name !== "string") return { problem: '"name" must be a text' }
  if (!isTexts(given)) return { problem: '"arguments" must be texts by their names' }
  return { value: { name, arguments: given } }
})

type Reading<Params> = { value: Params } | { problem: string }

/** A schema for the SDK. Its own validation reports wrong parameters as server errors with a page of JSON. */
function paramsOf<Params>(read: (given: Given) => Reading<Params>): StandardSchemaV1<Given, Params> {
  const validate = (given: unknown): StandardSchemaV1.Result<Params> => {
    const reading = read(given as Given) // the SDK rejects requests whose parameters are not an object
    return "problem" in reading ? { issues: [{ message: reading.problem }] } : reading
  }
  return { "~standard": { version: 1, vendor: "drey", validate } }
}

function isTexts(value: unknown): value is Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  return Object.values(value).every((each) => typeof each === "string")
}
