import { spawn } from "node:child_process"
import { once } from "node:events"
import { resolve } from "node:path"
import type { Sample } from "./sample/make-sample.ts"

export type RunningUi = {
  /** Lets in one browser, once. */
  url: string
  port: number
  stop(): Promise<void>
}

/** Serves the browser app of a repository as `drey ui` does; port 0 takes any that is free. */
export async function startUi({ root, env }: Sample, port = 0): Promise<RunningUi> {
  const child = spawn(
    process.execPath,
    [resolve("dist", "cli.cjs"), "ui", "--json", "--no-open", "--port", String(port)],
    {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    },
  )
  const ended = once(child, "close")
  let text = ""
  for await (const piece of child.stdout.setEncoding("utf8")) {
    text += piece
    if (text.trimEnd().endsWith("}")) break
  }
  const { url } = JSON.parse(text) as { url: string }
  return {
    url,
    port: Number(new URL(url).port),
    async stop() {
      child.kill("SIGTERM")
      await ended
    },
  }
}
