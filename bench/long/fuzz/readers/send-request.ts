import { type Agent, request } from "node:http"

export type Answered = { status: number; headers: NodeJS.Dict<string | string[]>; text: string }

/** A request in words: `POST /path`, headers a line each, an empty line, the body. Undefined for one that no client can send. */
export function sendRequest(
  port: number,
  words: string,
  headers: Record<string, string>,
  agent: Agent,
): Promise<Answered | undefined> {
  const end = words.indexOf("\n\n")
  const [first = "", ...given] = (end < 0 ? words : words.slice(0, end)).split("\n")
  const body = end < 0 ? "" : words.slice(end + 2)
  const [method = "GET", path = "/"] = first.split(" ")
  const named = given.flatMap((line): [string, string][] => {
    const at = line.indexOf(":")
    return at <= 0 || /^(?:content-length|transfer-encoding|connection|expect|upgrade)$/i.test(line.slice(0, at).trim())
      ? []
      : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
  })
  return new Promise((resolve, reject) => {
    try {
      const sent = request(
        { host: "127.0.0.1", port, method, path, agent, headers: { ...headers, ...Object.fromEntries(named) } },
        (answer) => {
          let text = ""
          answer.setEncoding("utf8").on("data", (piece: string) => {
            text += piece
          })
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
          answer.on("error", reject)
          if (/event-stream/.test(answer.headers["content-type"] ?? "") && method === "GET") {
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }) // a stream continues as long as a client listens
            answer.destroy()
          }
        },
      )
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNRESET" || error.code?.startsWith("HPE_"))
          resolve(undefined) // Node's own server did not take it for HTTP
        else reject(error)
      })
      sent.end(body)
    } catch {
      resolve(undefined) // a method, a path or a header that Node itself does not send
    }
  })
}
