import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { allPeers, installPeers } from "./peers/all-peers.ts"
import { openPlaces } from "./peers/open-places.ts"
import { printInstall } from "./peers/print-install.ts"
import { printPeerSpeed } from "./peers/print-speed.ts"
import { printStart } from "./peers/print-start.ts"
import { printCrashes, printProcesses } from "./peers/print-survival.ts"
import { printWrites } from "./peers/print-writes.ts"
import { describeStanding, type Measure } from "./peers/standing.ts"

/**
 * Drey and other memories side by side, each as it is installed from npm:
 * `npm run peers -w bench [-- --only install,start,speed,writes,processes,crashes --peers Drey,mem0 --quick]`.
 */

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    peers: { type: "string" },
    quick: { type: "boolean", default: false },
    patience: { type: "string", default: "150" },
  },
})
const { quick } = values
const chosen = allPeers.filter(({ name }) => !values.peers || values.peers.split(",").includes(name))
const peers = await installPeers(resolve(".cache", "peers"), chosen)
const places = await openPlaces()
const parts: Record<string, () => Promise<Measure[]>> = {
  install: () => printInstall(peers, places),
  start: () => printStart(peers, places, quick ? 3 : 11),
  speed: () =>
    printPeerSpeed(peers, places, {
      sizes: quick ? [300, 1000] : [1000, 10_000, 100_000],
      questions: quick ? 10 : 60,
      patience: Number(values.patience),
    }),
  writes: () => printWrites(peers, places, quick ? 20 : 200),
  processes: () => printProcesses(peers, places, quick ? { processes: 2, writes: 10 } : { processes: 4, writes: 250 }),
  crashes: () => printCrashes(peers, places, { kills: quick ? 3 : 20, seed: 1 }),
}
try {
  const measures: Measure[] = []
  for (const [name, print] of Object.entries(parts)) {
    if (!values.only || values.only.split(",").includes(name)) measures.push(...(await print()))
  }
  console.log(`\n## Who is ahead\n\n${describeStanding(measures)}`)
} finally {
  places.close()
}
