import type { CommandPattern } from "./match-guards.ts"

/** What is forbidden in words of its own and done by commands that everybody knows: "force-push", "publish packages", "skip the hooks". */
export function deedsIn(verb: string, object: string): CommandPattern[] {
  const deed = `${verb} ${object.replace(/`/g, "")}`
  const [, branches = ""] = toBranch.exec(deed) ?? []
  const pushes = (branches.match(/[a-z]+/gi) ?? [])
    .filter((name) => name !== "or")
    .map((name) => ({ words: ["git", "push", name.toLowerCase()] }))
  const others = deeds
    .filter(([form]) => form.test(deed))
    .flatMap(([, lines]) => lines.map((line) => ({ words: line.split(" ") })))
  return [...pushes, ...others]
}

const toBranch =
  /^(?:(?:push|commit|merg)\w* (?:.{0,40} )?|directly )(?:to|into|on) (?:the )?((?:main|master|trunk|develop|dev|production|release)(?:(?:\/| or )(?:main|master))?)(?: branch)?$/i

const deeds: [RegExp, string[]][] = [
  [/^force[- ]?push|\bforce[- ]push/i, ["git push --force", "git push -f"]],
  [/^amend/i, ["git commit --amend"]],
  [/^rebas\w+/i, ["git rebase"]],
  [/^merg\w* (?:a |the |any |open )*(?:PRs?|pull requests?)\b(?! #?\d)/i, ["gh pr merge"]],
  [/^(?:tag|publish|cut|create)\w*\b.{0,20}\breleases?$/i, ["gh release create"]],
  [
    /^(?:skip|bypass|disabl)\w* (?:the |git |our |any )*(?:pre-commit|commit|git|husky)? ?hooks?\b/i,
    ["git commit --no-verify", "git commit -n", "git push --no-verify"],
  ],
  [
    /^(?:publish|releas)\w*(?: (?:the |a |any |new |our )*(?:npm |python |rust )?(?:packages?|librar(?:y|ies)|crates?|gems?|modules?|versions?|to (?:npm|pypi|crates\.io)))?(?: (?:by hand|manually|yourself|directly|locally))?$/i,
    [
      "npm publish",
      "pnpm publish",
      "yarn publish",
      "yarn npm publish",
      "bun publish",
      "cargo publish",
      "twine upload",
      "uv publish",
      "poetry publish",
      "gem push",
      "dotnet nuget push",
    ],
  ],
  [
    /^deploy\w*(?: (?:to|into|the|on|by|from|anything|manually|directly|yourself)\b.*)?$/i,
    [
      "npm run deploy",
      "pnpm deploy",
      "pnpm run deploy",
      "yarn deploy",
      "make deploy",
      "vercel deploy",
      "vercel --prod",
      "fly deploy",
      "flyctl deploy",
      "firebase deploy",
      "wrangler deploy",
      "netlify deploy",
      "serverless deploy",
      "cdk deploy",
      "terraform apply",
      "deploy.sh",
    ],
  ],
  [
    /^(?:drop|delet|wip|eras|truncat|reset)\w* (?:the |any |our |production )*(?:database|db|tables?|schema)s?\b/i,
    ["dropdb", "prisma migrate reset", "rails db:drop", "rake db:drop", "rails db:reset", "supabase db reset"],
  ],
  [
    /^run\w* (?:the |any |database |db )*migrations (?:by hand|manually|yourself|locally|directly)/i,
    [
      "prisma migrate",
      "alembic upgrade",
      "rails db:migrate",
      "manage.py migrate",
      "knex migrate:latest",
      "sequelize db:migrate",
      "dotnet ef database update",
      "flyway migrate",
    ],
  ],
]
