import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, onTestFinished, test } from "vitest"
import { listen, longestLine } from "./listener.ts"
import { fields, parseParams, text } from "./params.ts"
import { callRpc } from "./rpc-client.ts"

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "drey-rpc-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const methods = {
  echo: async (params: Record<string, unknown>) => parseParams(fields({ text }), params).text,
  much: async () => "x".repeat(3_000_000),
  never: () => new Promise(() => {}),
}

async function start(path = join(newFolder(), "run", "test.sock")): Promise<string> {
  const service = await listen(path, methods, () => {})
  onTestFinished(() => service.close())
  return path
}

/** A caller without Drey's client. */
async function dial(path: string): Promise<{ socket: Socket; nextLine: () => Promise<string | undefined> }> {
  const socket = connect({ path, allowHalfOpen: true })
  socket.on("error", () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, "connect")
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return { socket, nextLine: async () => (await lines.next()).value }
}

test("the socket and its folder are private to the user, even if the folder was open to others", async () => {
  const folder = join(newFolder(), "run")
  mkdirSync(folder, { mode: 0o755 })
  const path = await start(join(folder, "test.sock"))
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test("a request is answered, and an error is thrown with its code", async () => {
  const path = await start()
  expect(await callRpc(path, "echo", { text: "hello" })).toBe("hello")
  await expect(callRpc(path, "nobody")).rejects.toMatchObject({ code: -32601 })
})

describe.skipIf(process.platform === "win32")("a socket that another user may have created", () => {
  const ask = (path: string) => callRpc(path, "echo", { text: "private" })

  test("gets no request in a folder that others can enter", async () => {
    const path = await start()
    for (const mode of [0o755, 0o777, 0o1777]) {
      chmodSync(dirname(path), mode)
      await expect(ask(path)).rejects.toThrow("is not used: other users can enter it")
    }
    chmodSync(dirname(path), 0o700)
    expect(await ask(path)).toBe("private")
  })

  test("gets no request behind a link, whether the folder or the socket itself is one", async () => {
    const path = await start()
    const place = newFolder()
    symlinkSync(dirname(path), join(place, "folder"))
    await expect(ask(join(place, "folder", basename(path)))).rejects.toThrow("is not used: it is not a folder")
    symlinkSync(path, join(place, "link.sock"))
    await expect(ask(join(place, "link.sock"))).rejects.toThrow("No process answers")
  })

  test.skipIf(process.getuid?.() !== 0)("gets no request if it or its folder belongs to another user", async () => {
    const nobody = 65534
    const path = await start()
    chownSync(path, nobody, nobody)
    await expect(ask(path)).rejects.toThrow("No process answers")
    chownSync(path, 0, 0)
    chownSync(dirname(path), nobody, nobody)
    await expect(ask(path)).rejects.toThrow("it belongs to another user")
    chownSync(dirname(path), 0, 0)
  })
})

test("without a listener, the error says what to do", async () => {
  await expect(callRpc(join(newFolder(), "none.sock"), "echo")).rejects.toMatchObject({
    name: "DreyError",
    hint: expect.stringContaining("drey watch --detach"),
  })
})

test("many lines on one connection are answered in order", async () => {
  const { socket, nextLine } = await dial(await start())
  for (let id = 1; id <= 50; id++)
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "echo", params: { text: String(id) } })}\n`)
  for (let id = 1; id <= 50; id++)
    expect(JSON.parse((await nextLine()) ?? "")).toMatchObject({ id, result: String(id) })
})

test("a caller that sends a last line without a line end and closes its side still gets the answer", async () => {
  const { socket, nextLine } = await dial(await start())
  socket.end('{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"bye"}}')
  expect(JSON.parse((await nextLine()) ?? "")).toMatchObject({ result: "bye" })
  expect(await nextLine()).toBeUndefined()
})

test("a line of more than four megabytes is refused and the caller disconnected; others are not affected", async () => {
  const path = await start()
  const hostile = await dial(path)
  hostile.socket.write(Buffer.alloc(longestLine + 1, "x"))
  expect(JSON.parse((await hostile.nextLine()) ?? "")).toMatchObject({ id: null, error: { code: -32600 } })
  expect(await hostile.nextLine()).toBeUndefined()
  expect(await callRpc(path, "echo", { text: "still here" })).toBe("still here")
})

test("a caller that never reads, one that never finishes its line, and one that waits forever block no other", async () => {
  const path = await start()
  const deaf = await dial(path)
  deaf.socket.pause()
  for (let id = 1; id <= 200; id++) deaf.socket.write(`{"jsonrpc":"2.0","id":${id},"method":"much"}\n`)
  const slow = await dial(path)
  slow.socket.write('{"jsonrpc"')
  const waiting = await dial(path)
  waiting.socket.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n')
  const calls = Array.from({ length: 20 }, (_, at) => callRpc(path, "echo", { text: String(at) }))
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, (_, at) => String(at)))
})

test("closing succeeds although callers are still connected, and removes the socket", async () => {
  const path = join(newFolder(), "test.sock")
  const service = await listen(path, methods, () => {})
  const deaf = await dial(path)
  deaf.socket.pause()
  for (let id = 1; id <= 20; id++) deaf.socket.write(`{"jsonrpc":"2.0","id":${id},"method":"much"}\n`)
  const waiting = await dial(path)
  waiting.socket.write('{"jsonrpc":"2.0","id":1,"method":"never"}\n')
  expect(await callRpc(path, "echo", { text: "x" })).toBe("x")
  await service.close()
  expect(existsSync(path)).toBe(false)
})

test("the socket of a killed process is replaced, that of a running one is left alone, and a regular file is not touched", async () => {
  const folder = newFolder()
  const path = join(folder, "test.sock")
  const script = `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] })
  await once(child.stdout, "data")
  await expect(listen(path, methods, () => {})).rejects.toThrow("Another process already answers")
  child.kill("SIGKILL")
  await once(child, "close")
  expect(existsSync(path)).toBe(true)
  await start(path)
  expect(await callRpc(path, "echo", { text: "new" })).toBe("new")
  writeFileSync(join(folder, "notes"), "mine")
  await expect(listen(join(folder, "notes"), methods, () => {})).rejects.toThrow("not a socket")
})
