import type { NewText } from "../writer.ts"

/** What a rule makes of a finding; scope and owner follow from it and from who asks. */
export type Lesson = Pick<NewText, "kind" | "tier" | "polarity" | "text" | "confidence" | "evidence"> &
  Partial<Pick<NewText, "key" | "pathPrefix" | "ttlDays">>
