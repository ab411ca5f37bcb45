import type { Metafile } from "esbuild"

export function filesInBundle(metafile: Metafile, root: string): string[]
export function writeNotices(target: string, files: readonly string[]): void
