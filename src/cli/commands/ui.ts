import type { Command } from "commander"
import { command } from "../command.ts"
import { given } from "../given.ts"
import { parseCount } from "../parse-count.ts"
import { type CommonOptions, print, tell } from "../print.ts"

type Options = CommonOptions & { port?: string; open: boolean }

export function uiCommand(): Command {
  return command(
    "ui",
    "See what the team knows, in the browser: explore, correct, go through the inbox, look at what agents are handed. Serves on this machine alone, to the browser that opens the link. Ends with Ctrl-C.",
    "drey ui\ndrey ui --port 4000 --no-open",
  )
    .option("--port <number>", "where to serve; default: 3738, or another where that is in use")
    .option("--no-open", "print the link and open no browser")
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
        () => `Drey is at ${url}\nThe link lets in one browser, once. Ctrl-C ends it.`,
      ),
    warn: (message) => tell(`drey: ${message}`),
  })
}
