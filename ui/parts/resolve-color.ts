/** A design token as `#rrggbb` in the theme that is shown, for charts and graphs, which draw on a canvas: `resolveColor("--accent")`. */
export function resolveColor(token: string): string {
  const probe = document.createElement("span")
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  if (!pixel) return "#888888"
  pixel.fillStyle = color
  pixel.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = pixel.getImageData(0, 0, 1, 1).data
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`
}
