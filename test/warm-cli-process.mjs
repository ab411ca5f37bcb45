// Runs the built CLI's command lines one after the other, as `runWarm` sends them, each as if the process had just begun.
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { PassThrough, Readable } from "node:stream"

const cli = process.argv[2]
const { runLine } = createRequire(cli)(join(dirname(cli), "cli/cli-run-line.cjs"))

process.on("message", async ({ args, cwd, env, input }) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv = [process.execPath, cli, ...args]
  process.exitCode = undefined
  put("stdin", Readable.from(input === "" ? [] : [Buffer.from(input)]))
  const stdout = textOf(put("stdout", new PassThrough()))
  const stderr = textOf(put("stderr", new PassThrough()))
  await runLine(process.argv)
  process.send({ code: process.exitCode ?? 0, stdout: stdout(), stderr: stderr() })
})

function put(name, stream) {
  Object.defineProperty(process, name, { value: stream, configurable: true })
  return stream
}

function textOf(stream) {
  const pieces = []
  stream.on("data", (piece) => pieces.push(piece))
  return () => Buffer.concat(pieces).toString("utf8")
}
