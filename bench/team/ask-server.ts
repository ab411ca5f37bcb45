import { Agent, request } from "node:http"

const agent = new Agent({ keepAlive: true, maxSockets: 128 })

/** One request, as a client makes it; rejects what is not answered with 2xx. */
export function askServer(url: string, token: string, path: string, body: object): Promise<string> {
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL(path, url),
      {
        method: "POST",
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          const answer = Buffer.concat(chunks).toString()
          const status = response.statusCode ?? 0
          if (status >= 200 && status < 300) resolve(answer)
          else reject(new Error(`${path} was answered with ${status}: ${answer.slice(0, 200)}`))
        })
      },
    )
    asked.on("error", reject)
    asked.end(text)
  })
}
