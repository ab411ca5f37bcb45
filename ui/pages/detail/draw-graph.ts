import { UndirectedGraph } from "graphology"
import forceAtlas2 from "graphology-layout-forceatlas2"
import Sigma from "sigma"
import type { Settings } from "sigma/settings"
import type { Graph } from "../../../src/recall/browse/app-api.ts"
import { resolveColor } from "../../parts/resolve-color.ts"

const longestLabel = 26

/** Draws a graph around one item; returns what takes it away. Without WebGL nothing is drawn. */
export function drawGraph(place: HTMLElement, graph: Graph, centre: string, onOpen: (id: string) => void): () => void {
  if (!hasWebGl()) return () => undefined
  const sigma = new Sigma(toGraphology(graph, centre), place, {
    labelColor: { color: resolveColor("--text") },
    labelSize: 12,
    labelFont: "system-ui, sans-serif",
    labelRenderedSizeThreshold: 0,
    labelDensity: 0.6,
    allowInvalidContainer: true,
    stagePadding: 48,
    enableCameraZooming: false, // the wheel scrolls the page
    defaultDrawNodeLabel: drawLabelBelow,
    defaultDrawNodeHover: () => undefined, // its box is white whatever the theme
  })
  sigma.on("clickNode", ({ node }) => onOpen(node))
  sigma.on("enterNode", () => {
    place.style.cursor = "pointer"
  })
  sigma.on("leaveNode", () => {
    place.style.cursor = ""
  })
  return () => sigma.kill()
}

function toGraphology({ nodes, edges }: Graph, centre: string): UndirectedGraph {
  const drawn = new UndirectedGraph()
  nodes.forEach(({ id, title, type }, index) => {
    const angle = (2 * Math.PI * index) / nodes.length
    drawn.mergeNode(id, {
      x: id === centre ? 0 : Math.cos(angle),
      y: id === centre ? 0 : Math.sin(angle),
      size: id === centre ? 10 : 6,
      label: title.length > longestLabel ? `${title.slice(0, longestLabel - 1)}…` : title,
      color: resolveColor(`--type-${type}`),
    })
  })
  for (const { from, to, kind } of edges) {
    if (from === to || !drawn.hasNode(from) || !drawn.hasNode(to)) continue
    drawn.mergeEdge(from, to, {
      size: kind === "supersedes" ? 3 : 1,
      color: resolveColor(kind === "supersedes" ? "--accent" : "--line-strong"),
    })
  }
  forceAtlas2.assign(drawn, { iterations: 120, settings: { ...forceAtlas2.inferSettings(drawn), gravity: 0.5 } })
  return drawn
}

/** Sigma's own label is to the right of its node, where the frame cuts it off. */
const drawLabelBelow: Settings["defaultDrawNodeLabel"] = (
  context,
  { label, x, y, size },
  { labelColor, labelSize, labelFont },
) => {
  if (!label) return
  context.font = `${labelSize}px ${labelFont}`
  context.fillStyle = labelColor.color ?? ""
  context.textAlign = "center"
  context.fillText(label, x, y + size + labelSize)
}

function hasWebGl(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null
}
