import { formatNumber } from "../../parts/format-number.ts"

/** `434 bytes`, `12.3 kB`. */
export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${formatNumber(bytes)} bytes` : `${formatNumber(bytes / 1000)} kB`
}
