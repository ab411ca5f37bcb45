import { redrawError } from "./write-out.ts"

const width = 24

/** A progress bar on stderr, drawn only on a terminal and only when the work takes long enough to be noticed. */
export function progressBar(
  label: string,
  unit = "",
): { update: (done: number, total: number) => void; end: () => void } {
  const started = Date.now()
  let drawn = 0
  return {
    update(done, total) {
      const now = Date.now()
      if (!process.stderr.isTTY || now - started < 300 || now - drawn < 80) return
      drawn = now
      const filled = total === 0 ? width : Math.round((done / total) * width)
      redrawError(`${label} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${done}/${total}${unit}`)
    },
    end() {
      if (drawn > 0) redrawError("")
    },
  }
}
