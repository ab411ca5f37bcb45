/** What axe, which must be on the page, has to complain of. */
export const seriousFindings = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 150)).slice(0, 3).join(" ")))`

/** By how much it is wider than the window. */
export const overhangOfPage = `Math.max(...[document.documentElement, ...document.querySelectorAll("main")]
  .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`
