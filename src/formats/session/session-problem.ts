/** Something about a session file that a person should know. An error keeps the file from being changed; a warning does not. */
export type SessionProblem = {
  severity: "error" | "warning"
  code: SessionProblemCode
  /** `attempts[2].result`; "" for the file as a whole. */
  path: string
  /** Both count from 1. */
  line: number
  column: number
  message: string
}

export type SessionProblemCode =
  | "syntax"
  | "duplicate-key"
  | "too-many-aliases"
  | "custom-tag"
  | "wrong-type"
  | "missing-field"
  | "unknown-value"
  | "version-not-text"
  | "newer-version"
  | "session-mismatch"
  | "duplicate-id"
  | "unknown-reference"
  | "invalid-timestamp"
  | "older-than-file"
  | "contradiction"
  | "too-long"
  | "too-large"
  | "secret"
  | "plan-mismatch"
