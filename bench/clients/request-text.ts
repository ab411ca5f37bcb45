import type { SessionRun } from "./open-place.ts"

/** The words of what the model was sent before it gave its answer of this number, without the marks of JSON and of Gemini CLI's quoting. */
export function requestText({ requests }: SessionRun, turn: number, branch = "main"): string {
  const request = requests.find((each) => each.branch === branch && each.turn === turn)
  return textsIn(request?.body).join("\n").replaceAll("&gt;", ">").replaceAll("&lt;", "<")
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}
