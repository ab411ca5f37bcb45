// A folder of the test's server as a file system of VS Code Web, and a way for the test to call VS Code's API.
const vscode = require("vscode")

exports.activate = (context) => {
  const server = context.extensionUri.with({ path: "", query: "", fragment: "" }).toString(true).replace(/\/$/, "")
  const ask = (method, name, path, body) =>
    fetch(`${server}/disk/${name}?path=${encodeURIComponent(path)}`, { method, body })
  const found = async (response, uri) => {
    if (response.status === 404) throw vscode.FileSystemError.FileNotFound(uri)
    if (!response.ok) throw new Error(`${response.status} ${uri}`)
    return response
  }
  const changed = new vscode.EventEmitter()
  const provider = {
    onDidChangeFile: changed.event,
    watch: () => new vscode.Disposable(() => {}),
    stat: async (uri) => (await found(await ask("GET", "stat", uri.path), uri)).json(),
    readDirectory: async (uri) => (await found(await ask("GET", "list", uri.path), uri)).json(),
    readFile: async (uri) => new Uint8Array(await (await found(await ask("GET", "file", uri.path), uri)).arrayBuffer()),
    writeFile: async (uri, content) => void (await found(await ask("PUT", "file", uri.path, content), uri)),
    createDirectory: async (uri) => void (await found(await ask("PUT", "folder", uri.path), uri)),
    delete: async (uri) => void (await found(await ask("DELETE", "file", uri.path), uri)),
    rename: async (uri, to) => {
      await provider.writeFile(to, await provider.readFile(uri))
      await provider.delete(uri)
    },
  }
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider("disk", provider, { isCaseSensitive: true }))
  const types = {
    created: vscode.FileChangeType.Created,
    changed: vscode.FileChangeType.Changed,
    deleted: vscode.FileChangeType.Deleted,
  }
  const listen = async () => {
    for (;;) {
      const { events = [], call } = await (await fetch(`${server}/next`)).json()
      if (events.length > 0)
        changed.fire(
          events.map(({ path, type }) => ({ uri: vscode.Uri.from({ scheme: "disk", path }), type: types[type] })),
        )
      if (call) void answer(call)
    }
  }
  const answer = async ({ id, code }) => {
    let body
    try {
      body = { id, result: (await new Function("vscode", `return (async () => { ${code} })()`)(vscode)) ?? null }
    } catch (error) {
      body = { id, error: String(error?.stack ?? error) }
    }
    await fetch(`${server}/answer`, { method: "POST", body: JSON.stringify(body) })
  }
  void listen().catch(() => {}) // the test is over
}
