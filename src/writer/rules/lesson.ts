import type { NewText } from "../writer.ts"

/** A lesson from one finding; scope and owner follow from it and from the caller. */
export type Lesson = Pick<NewText, "kind" | "tier" | "polarity" | "text" | "confidence" | "evidence"> &
  Partial<Pick<NewText, "key" | "pathPrefix" | "ttlDays">>
