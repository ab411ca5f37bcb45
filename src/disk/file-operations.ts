export type FileOperation = "create" | "rename" | "append" | "remove"

let listener: ((operation: FileOperation, path: string) => void) | undefined

/** Lets a test see, or end the process at, every change to the disk. Nothing in Drey itself listens. @public */
export function onFileOperation(listen: typeof listener): void {
  listener = listen
}

/** Called before each change to the disk. */
export function announce(operation: FileOperation, path: string): void {
  listener?.(operation, path)
}
