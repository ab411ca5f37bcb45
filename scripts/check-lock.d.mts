type Entry = { version?: string; integrity?: string; link?: boolean; resolved?: string }

export function readLock(path: string): Record<string, Entry>
export function requireHashes(lock: Record<string, Entry>, workspaces?: readonly string[]): void
export function requireSame(installed: Record<string, Entry>, lock: Record<string, Entry>): void
