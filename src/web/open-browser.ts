import { spawn } from "node:child_process"

/** Opens an address in the user's browser; whether that worked nobody tells, so it is printed as well. */
export function openBrowser(url: string, platform: NodeJS.Platform): void {
  const [program, ...args] = commandFor(url, platform)
  if (program === undefined) return
  const child = spawn(program, args, { stdio: "ignore", detached: true })
  child.on("error", () => {}) // there is no such program: the printed link will do
  child.unref()
}

/** No shell reads the address: it goes to the program as it is. */
function commandFor(url: string, platform: NodeJS.Platform): string[] {
  if (platform === "darwin") return ["open", url]
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url]
  return ["xdg-open", url]
}
