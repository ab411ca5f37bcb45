import { type Command, Option } from "commander"
import { DreyError } from "../../errors.ts"
import { omitUndefined } from "../../formats/objects.ts"
import { command } from "../command.ts"
import { parseCount } from "../option-values.ts"
import { type CommonOptions, print, printNotice } from "../print.ts"
import { answeringHooks } from "../resident-hooks.ts"

type Options = CommonOptions & {
  http?: boolean
  port?: string
  profile?: "drey" | "squad"
  toolNames?: "plain" | "dotted"
  agent?: string
}

/** D, R, E and Y on a telephone. */
const defaultPort = "3739"

export function mcpCommand(): Command {
  return command(
    "mcp",
    "Serve the team's memory to coding agents over MCP, on stdin and stdout. Clients start it themselves. The project is the client's root, or the working directory.",
    "drey mcp\ndrey mcp --agent kane --root ~/work/shop\ndrey mcp --http --port 3739",
  )
    .option("--http", "serve streamable HTTP on localhost instead, to clients that send the token")
    .option("--port <number>", `for --http; default: ${defaultPort}, 0 for any free port`)
    .addOption(
      new Option(
        "--profile <profile>",
        "squad adds the tools of Squad, which runs a team of agents in GitHub Copilot",
      ).choices(["drey", "squad"]),
    )
    .addOption(
      new Option("--tool-names <spelling>", "dotted lists memory.write for memory_write").choices(["plain", "dotted"]),
    )
    .option("--agent <name>", "the calling agent, if a call does not name one")
    .action(serve)
}

async function serve({ http, port, ...options }: Options): Promise<void> {
  if (port !== undefined && !http) throw new DreyError("--port requires --http")
  const { runMcp } = await import("../../mcp/run-mcp.ts")
  const place = http ? { port: parseCount(port ?? defaultPort, "a port", 0, 65_535) } : {}
  process.exitCode = await answeringHooks(() => runMcp({ ...omitUndefined(options), ...place }))
}

type OptionsUi = CommonOptions & { port?: string; open: boolean }

export function uiCommand(): Command {
  return command(
    "ui",
    "Open the browser app: explore and edit the team's memory, review the inbox, preview contexts. Serves only on this machine, to the browser that opens the link. Press Ctrl-C to stop.",
    "drey ui\ndrey ui --port 4000 --no-open",
  )
    .option("--port <number>", "port; default: 3738, or another if it is in use")
    .option("--no-open", "print the link and do not open a browser")
    .action(ui)
}

async function ui({ port, open, ...options }: OptionsUi): Promise<void> {
  const { runUi } = await import("../../web/web-server.ts")
  const given = omitUndefined({
    root: options.root,
    port: port === undefined ? undefined : parseCount(port, "a port", 0, 65_535),
  })
  const onReady = (url: string) =>
    print(
      options,
      () => ({ url }),
      () => `Drey is at ${url}\nOne-time link; valid for one browser. Press Ctrl-C to stop.`,
    )
  const warn = (message: string) => printNotice(`drey: ${message}`)
  await answeringHooks(() => runUi({ ...given, open, onReady, warn }))
}
