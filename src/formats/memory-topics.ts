/** Words of a task, or names of a command, that make a fact under one of the usual keys relevant, besides the key's own words. */
const wordsByKey: Record<string, readonly string[]> = {
  "project.package_manager": [
    "dependency",
    "dependencies",
    "install",
    "package",
    "packages",
    "library",
    "libraries",
    "npm",
    "pnpm",
    "yarn",
  ],
  "project.test.framework": ["test", "tests", "testing", "spec", "specs", "coverage"],
  "project.test.command": ["test", "tests", "testing", "spec", "specs", "coverage"],
  "project.build.command": ["build", "compile", "bundle"],
  "project.db.engine": ["database", "table", "column", "migration", "migrations", "schema", "sql", "query"],
  "project.db.version": ["database", "migration", "migrations", "sql"],
  "project.db.orm": ["database", "table", "column", "migration", "migrations", "model", "models", "query"],
  "project.api.framework": ["api", "endpoint", "endpoints", "route", "routes", "handler"],
  "project.ui.framework": ["ui", "component", "components", "page", "form", "frontend"],
  "project.auth.method": ["auth", "authentication", "login", "logout", "token", "password"],
  "project.deploy.platform": ["deploy", "deployment", "release", "rollout"],
  "project.ci.platform": ["ci", "pipeline", "workflow"],
  "project.http.client": ["http", "request", "requests", "fetch"],
  "user.pref.async_style": ["async", "await", "promise", "promises"],
  "user.pref.null_handling": ["null", "undefined", "optional"],
  "user.pref.comment_style": ["comment", "comments", "docstring"],
  "user.pref.error_handling": ["error", "errors", "exception", "exceptions"],
  "user.pref.test_style": ["test", "tests", "mock", "mocks"],
  "user.pref.naming_convention": ["name", "names", "rename"],
}

/** Whether a fact is relevant to a task: the task has every word of the key after its scope, or mentions the key's topic. */
export function taskMatchesKey(task: ReadonlySet<string>, key: string): boolean {
  const own = key
    .split(/[._-]/)
    .slice(1)
    .filter((part) => part !== "pref")
  const hasOwn = own.length > 0 && own.every((part) => task.has(part.toLowerCase()))
  return hasOwn || (wordsByKey[key] ?? []).some((word) => task.has(word))
}

/** Of the usual keys, those that a task is an occasion for. */
export function keysMatchedBy(task: ReadonlySet<string>): string[] {
  return Object.keys(wordsByKey).filter((key) => taskMatchesKey(task, key))
}

/** The words of a text as keys are held against them. */
export function plainWords(text: string): Set<string> {
  return new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))
}
