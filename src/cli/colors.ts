import picocolors from "picocolors"

/** Colour only where a person looks: on a terminal, and not when `NO_COLOR` is set. */
export const colors = picocolors.createColors(process.stdout.isTTY === true && !process.env.NO_COLOR)
