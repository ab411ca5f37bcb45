import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

export type ModelTool = { name: string; input: unknown; namespace?: string; custom?: boolean }
export type ModelTurn = { text?: string; tools?: ModelTool[] }

/** What a client sent; `turn` is the number of the scripted answer, `branch` is "aux" where no tools were offered. */
export type ModelRequest = { branch: string | null; turn: number | null; body: unknown }

export type ScriptedModel = { url: string; requests: ModelRequest[]; close(): Promise<void> }

/** `script` is a file with `{ aux, turns }`, read again for every request; `aux` answers requests without tools. */
type Start = (options: { script: string; log: string; vars: Record<string, string> }) => Promise<ScriptedModel>

/** The folder of the model that answers by a script, in the forms of all clients. It is not part of this repository. */
export function scriptedModelFolder(root: string): string {
  const folder = resolve(root, process.env.DREY_FAKE_MODEL ?? "../shared/tools/fake-model")
  if (!existsSync(join(folder, "fake-model.mjs")))
    throw new Error(`There is no fake-model.mjs in ${folder}. Set DREY_FAKE_MODEL to the folder of the scripted model.`)
  return folder
}

export async function startScriptedModel(folder: string, options: Parameters<Start>[0]): Promise<ScriptedModel> {
  const { startFakeModel }: { startFakeModel: Start } = await import(pathToFileURL(join(folder, "fake-model.mjs")).href)
  return startFakeModel(options)
}
