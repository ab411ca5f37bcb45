import type { Command } from "commander"
import { command } from "../command.ts"
import { given } from "../given.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, print, tell } from "../print.ts"

type Options = CommonOptions & { port?: string; open: boolean }

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

async function ui({ port, open, ...options }: Options): Promise<void> {
  const { runUi } = await import("../../web/run-ui.ts")
  await runUi({
    ...given({ root: options.root, port: port === undefined ? undefined : parseCount(port, "a port", 0, 65_535) }),
    open,
    onReady: (url) =>
      print(
        options,
        () => ({ url }),
        () => `Drey is at ${url}\nOne-time link; valid for one browser. Press Ctrl-C to stop.`,
      ),
    warn: (message) => tell(`drey: ${message}`),
  })
}
