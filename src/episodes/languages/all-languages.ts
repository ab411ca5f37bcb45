import { chinese } from "./chinese.ts"
import { english } from "./english.ts"
import { french } from "./french.ts"
import { german } from "./german.ts"
import { japanese } from "./japanese.ts"
import type { Language } from "./language.ts"
import { portuguese } from "./portuguese.ts"
import { spanish } from "./spanish.ts"

/** The supported languages; to add one, add a file and list it here. */
export const allLanguages: readonly Language[] = [english, german, chinese, spanish, french, portuguese, japanese]
