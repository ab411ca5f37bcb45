import { chinese } from "./chinese.ts"
import { english } from "./english.ts"
import { french } from "./french.ts"
import { german } from "./german.ts"
import { japanese } from "./japanese.ts"
import type { Language } from "./language.ts"
import { portuguese } from "./portuguese.ts"
import { spanish } from "./spanish.ts"

/** The languages whose words are known; another is one more file and one more name here. */
export const allLanguages: readonly Language[] = [english, german, chinese, spanish, french, portuguese, japanese]
