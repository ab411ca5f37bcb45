// The public names of "drey". The formats alone are in "drey/formats".
export { type Drey, type DreyOptions, type EntriesResult, openDrey } from "./drey.ts"
export { DreyError, type ExitCode, exitCode } from "./errors.ts"
export { parseQuery, type Query } from "./formats/query.ts"
export type { ConversionLevel, ConversionRecord, ConvertOptions, ReviewAnswer } from "./squad/convert-file.ts"
export type { ConversionPlan, ConversionResult, ConvertStoreOptions, FilePlan } from "./squad/convert-store.ts"
export type { EntrySource } from "./squad/list-files.ts"
export type { StoreEntry } from "./squad/read-store.ts"
export type { FileDiagnostic, Validation } from "./squad/validate-store.ts"
