import { DreyError } from "../errors.ts"

/** What Node threw about a file, as a sentence with its path where the user can mend it; anything else comes back as it was. */
export function fileError(path: string, error: unknown): unknown {
  const sentence = sentences[codeOf(error) ?? ""]
  return sentence === undefined ? error : new DreyError(`${path} ${sentence}`, { cause: error })
}

/** Node's name for what the system refused, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined
}

const noPermission = "cannot be accessed: no permission"
const noSpace = "cannot be written: the disk is full"

const sentences: Record<string, string> = {
  EACCES: noPermission,
  EDQUOT: noSpace,
  EEXIST: "cannot be made: a part of its path is a file, not a folder",
  EFBIG: "cannot be written: the system allows no file that large",
  EISDIR: "is a folder, not a file",
  ELOOP: "is a symbolic link that leads back to itself",
  ENAMETOOLONG: "cannot be used: its name is too long",
  ENOENT: "does not exist",
  ENOSPC: noSpace,
  ENOTDIR: "cannot be found: a part of its path is a file, not a folder",
  ENXIO: "is not a regular file",
  EPERM: noPermission,
  EROFS: "cannot be written: the disk is read-only",
}
