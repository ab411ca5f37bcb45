import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DreyError, exitCode } from "../errors.ts"

/** Opens a text in the user's editor and returns it as they left it, without blank ends. */
export function editText(text: string): string {
  const editor = process.env.VISUAL || process.env.EDITOR || (process.stdin.isTTY ? "vi" : undefined)
  if (editor === undefined)
    throw new DreyError("No editor to open", { hint: "Set EDITOR, or pass the new text: --text TEXT." })
  const folder = mkdtempSync(join(tmpdir(), "drey-edit-"))
  try {
    const path = join(folder, "item.md")
    writeFileSync(path, `${text}\n`, { mode: 0o600 })
    const { status, error } = spawnSync(`${editor} "${path}"`, { shell: true, stdio: "inherit" })
    if (error || status !== 0)
      throw new DreyError(
        `Nothing changed: the editor, ${editor}, ended with ${error?.message ?? `exit code ${status}`}`,
        {
          hint: "Set EDITOR to another one, or pass the new text: --text TEXT.",
          exitCode: exitCode.no,
        },
      )
    const edited = readFileSync(path, "utf8").trim()
    if (edited === "") throw new DreyError("Nothing changed: the text is empty", { exitCode: exitCode.no })
    return edited
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
