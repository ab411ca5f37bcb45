import { expect, test } from "vitest"
import type { ToolCall } from "../../formats/client-events.ts"
import { matchGuards } from "./guard-match.ts"
import { readProhibitions } from "./prohibitions.ts"
import { triggersOf } from "./triggers.ts"

/** `main> git commit`: on that branch; `edit a.ts`: a changed file; `write x`: new text; else a command on another branch. */
function callOf(written: string): ToolCall {
  const none = { tool: "Edit", command: undefined, paths: [], text: undefined }
  const [, branch = "topic", rest = ""] = /^(?:([\w/-]+)> )?(.*)$/s.exec(written) ?? []
  if (rest.startsWith("edit ")) return { ...none, paths: [rest.slice(5)] }
  if (rest.startsWith("write ")) return { ...none, paths: ["src/a.ts"], text: rest.slice(6) }
  return { ...none, tool: "Bash", command: rest, branch }
}

function warns(sentence: string, call: string): boolean {
  const triggers = readProhibitions(sentence).flatMap((prohibition) => triggersOf(prohibition) ?? [])
  const guards = triggers.map((each) => ({
    id: "g",
    source: "learned" as const,
    ask: false,
    text: sentence,
    triggers: each,
  }))
  return matchGuards(guards, callOf(call)).length > 0
}

const commitOnMain = {
  warns: [
    "main> git commit -m x",
    "git push origin main",
    "main> git push",
    "git checkout main && git commit -m x",
    "git push origin HEAD:main",
  ],
  silent: [
    "git commit -m x",
    "git push -u origin topic",
    "main> git checkout -b fix && git commit -m x",
    "main> git status",
    "main> git commit-graph write",
    "edit main.ts",
  ],
}
const pushToMain = {
  warns: ["git push origin main", "main> git push", "main> git push origin", "main> git push origin HEAD"],
  silent: [
    "git push origin topic",
    "main> git commit -m x",
    "main> git push origin topic",
    "git pull origin main",
    "git commit -m 'push main'",
  ],
}
const force = {
  warns: ["git push --force", "git push -f origin topic"],
  silent: ["git push", "git push --force-with-lease", "rm -f x"],
}
const noVerify = {
  warns: ["git commit --no-verify -m x", "git commit -n -m x", "git push --no-verify"],
  silent: ["git commit -m x", "git push", "git commit -m 'no verify'", "echo -n x"],
}
const anyPush = {
  warns: ["git push", "git push origin topic", "git add . && git commit -m x && git push"],
  silent: ["git commit -m x", "git stash push", "npm run push-notify"],
}
const proto = {
  warns: ["edit src/proto/order.ts", "edit /work/shop/src/proto/a/b.ts"],
  silent: ["edit src/app.ts", "edit src/prototype/a.ts", "cat src/proto/order.ts"],
}
const npm = { warns: ["npm install zod", "npm ci", "npm test"], silent: ["pnpm add zod", "ls npm", "pnpm test"] }

test.each<[string, { warns: string[]; silent: string[] }]>([
  ["Never commit to main.", commitOnMain],
  ["Never commit to main, code ends on main via PR only.", commitOnMain],
  ["never commit on main", commitOnMain],
  ["Don't commit directly to main.", commitOnMain],
  ["Do not ever commit to the main branch, open a pull request.", commitOnMain],
  ["No commits on main, ever.", commitOnMain],
  ["No direct commits to main.", commitOnMain],
  ["Nicht auf main committen.", commitOnMain],
  ["Ne commit jamais sur main.", commitOnMain],
  ["No hagas commit en main.", commitOnMain],
  ["Não faça commit na main.", commitOnMain],
  ["不要提交到 main", commitOnMain],
  ["Never push to main.", pushToMain],
  ["Please don't push to main without a review.", pushToMain],
  ["You must never push directly to main.", pushToMain],
  ["Pushing to main is forbidden, and nobody may push to main.", pushToMain],
  ["Niemals auf main pushen.", pushToMain],
  ["Ne jamais pousser sur main.", pushToMain],
  ["Nunca hagas push a main.", pushToMain],
  ["main に push しないでください", pushToMain],
  ["Never force-push.", force],
  ["No force pushes.", force],
  ["Don't force push, ever.", force],
  ["Never run git push --force.", { ...force, silent: ["git push"] }],
  ["Kein force push.", force],
  ["Jamais de force push.", { warns: [], silent: ["git push"] }],
  ["Never use --no-verify.", noVerify],
  ["Don't commit with --no-verify.", noVerify],
  ["Never skip the pre-commit hooks.", noVerify],
  ["Do not bypass git hooks.", noVerify],
  ["Nie --no-verify verwenden.", noVerify],
  ["N'utilise jamais --no-verify.", noVerify],
  ["Ask me before pushing.", anyPush],
  ["Always ask before you push.", anyPush],
  ["Check with me before pushing anything.", anyPush],
  ["Never push, I do that myself.", anyPush],
  ["Frag mich, bevor du pushst.", anyPush],
  ["Pregúntame antes de hacer push.", anyPush],
  ["Demande-moi avant de pousser.", anyPush],
  ["Don't touch the generated files in src/proto.", proto],
  ["Never edit the generated files in src/proto, change tariff.proto and run pnpm generate.", proto],
  ["Files in src/proto must not be edited by hand.", { ...proto, silent: ["edit src/app.ts"] }],
  ["Ändere nie die Dateien in src/proto/.", proto],
  ["Ne modifie pas src/proto/.", proto],
  ["No toques src/proto/.", proto],
  ["src/proto/ は編集しないでください", proto],
  ["Use pnpm, never npm.", npm],
  ["We use pnpm here, not npm.", npm],
  ["Use pnpm instead of npm.", npm],
  ["Never amend commits.", { warns: ["git commit --amend"], silent: ["git commit -m amend"] }],
  ["Do not stash anything.", { warns: ["git stash", "git stash pop"], silent: ["git status", "git stash list"] }],
  ["Do not create commits.", { warns: ["git commit -m x", "main> git commit"], silent: ["git add .", "git log"] }],
  [
    "Ask me before running migrations.",
    { warns: ["npx prisma migrate dev", "alembic upgrade head"], silent: ["npx prisma generate", "ls migrations"] },
  ],
  [
    "Ask me before you install new dependencies.",
    { warns: ["npm install zod", "pnpm add zod", "pip install x"], silent: ["npm install", "npm ci"] },
  ],
  ["Never run npm publish.", { warns: ["npm publish", "npm publish --tag x"], silent: ["npm run build", "npm pack"] }],
  [
    "Never delete migrations in db/migrations.",
    { warns: ["rm db/migrations", "git rm db/migrations"], silent: ["ls db/migrations"] },
  ],
  ["Never merge pull requests yourself.", { warns: ["gh pr merge 12"], silent: ["gh pr view 12", "git merge topic"] }],
  [
    "Please don't rebase shared branches.",
    { warns: ["git rebase main"], silent: ["git log main", "git rebase --abort"] },
  ],
  ["You must not run docker system prune.", { warns: ["docker system prune -af"], silent: ["docker ps"] }],
  ["No `git stash` in this repository.", { warns: ["git stash -u"], silent: ["git status"] }],
  ["Stay away from the migrations folder.", { warns: ["edit migrations/001.sql"], silent: ["edit src/a.ts"] }],
  ["Hands off `infra/`!", { warns: ["edit infra/main.tf"], silent: ["edit src/infra.ts"] }],
  ["Keep out of `legacy/`.", { warns: ["edit legacy/a.php"], silent: ["edit src/legacy.php"] }],
  ["Leave everything under `vendor/` alone.", { warns: ["edit vendor/x/y.go"], silent: ["edit src/vendor.go"] }],
  [
    "The lockfile (`pnpm-lock.yaml`) is off limits.",
    { warns: ["edit pnpm-lock.yaml"], silent: ["edit package.json", "pnpm install"] },
  ],
  ["Fass den Ordner `gen/` nicht an.", { warns: ["edit gen/a.ts"], silent: ["edit src/gen.ts"] }],
  ["Ne jamais modifier `config/prod.yml`.", { warns: ["edit config/prod.yml"], silent: ["edit config/dev.yml"] }],
  ["不要修改 `src/gen/` 下的文件。", { warns: ["edit src/gen/a.ts"], silent: ["edit src/app.ts"] }],
  [
    "It is forbidden to edit `schema.prisma` without asking.",
    { warns: ["edit prisma/schema.prisma"], silent: ["edit prisma/seed.ts"] },
  ],
  ["You are not allowed to deploy.", { warns: ["npm run deploy"], silent: ["npm run build"] }],
  [
    "Pushing straight to develop is not allowed; never push to develop.",
    { warns: ["git push origin develop"], silent: ["git push origin topic"] },
  ],
  ["Never ever use yarn here.", { warns: ["yarn install"], silent: ["pnpm install"] }],
  ["Nie `npm` benutzen, immer `pnpm`.", { warns: ["npm install"], silent: ["pnpm install"] }],
  ["Nunca uses `npm`.", { warns: ["npm install"], silent: ["pnpm install"] }],
  ["Kein `git push --force`.", { ...force, silent: ["git push"] }],
  ["Avoid `rm -rf` entirely.", { warns: ["rm -rf dist"], silent: ["rm a.txt"] }],
  ["dont push without asking", anyPush],
  ["Check with me before deleting branches.", { warns: ["git branch -D topic"], silent: ["git branch"] }],
  ["Don't install anything globally.", { warns: ["npm install -g zod"], silent: ["npm install zod"] }],
  ["Don't run the e2e suite locally (`npm run e2e`).", { warns: ["npm run e2e"], silent: ["npm run build"] }],
  ["Never reset hard.", { warns: ["git reset --hard HEAD~1"], silent: ["git reset HEAD a.txt"] }],
  [
    "Never tag releases yourself.",
    {
      warns: ["git tag v1.2.0", "git tag -a v1.2.0 -m x", "git push --tags"],
      silent: ["git fetch", "git tag", "git tag -l 'v1*'", "git tag --sort=-creatordate", "git tag --points-at HEAD"],
    },
  ],
  ["Benutze `pnpm` und nicht `npm`.", npm],
  ["Bitte `npm` nicht verwenden, sondern `pnpm`.", npm],
  ["Utilise `pnpm` et pas `npm`.", npm],
  ["Usa `pnpm` y nunca `npm`.", npm],
  ["使用 `pnpm`，不要使用 `npm`。", npm],
  ["`npm` は使わないで `pnpm` を使用してください。", npm],
  [
    "Ändere `src/a.ts`, aber nie `src/gen/`.",
    { warns: ["edit src/gen/a.ts"], silent: ["edit src/a.ts", "ls src/gen"] },
  ],
  [
    "`kubectl delete` must never be run by an agent.",
    { warns: ["kubectl delete pod x"], silent: ["kubectl get pods"] },
  ],
  ["Don't use `console.log`, use the logger.", { warns: ["write console.log(1)"], silent: ["write logger.info(1)"] }],
])("%s", (sentence, { warns: must, silent }) => {
  expect(
    must.filter((call) => !warns(sentence, call)),
    "should warn",
  ).toEqual([])
  expect(
    silent.filter((call) => warns(sentence, call)),
    "should be silent",
  ).toEqual([])
})

test.each<[string, string[]]>([
  ["Viewers are not allowed to push.", ["git push"]],
  ["Guests are forbidden to delete branches.", ["git branch -d x", "git push --delete origin x"]],
  ["There is no lockfile and no `npm run build`.", ["npm run build"]],
  ["The containers are rootless, no `sudo` needed.", ["sudo ls"]],
  ["特别注意：输入校验使用 `zod`。", ["npm install zod", 'write import { z } from "zod"']],
  ["Wenn `npm ci` nicht geht, benutze `npm install`.", ["npm ci", "npm install"]],
  ["Das Feld `name` wird nicht verwendet.", ["write const label: string = user.name.trim() || name.first"]],
  ["テストを実行しない場合は `npm run build` を使う。", ["npm run build"]],
  ["Der Benutzer darf `npm test` nicht sehen.", ["npm test"]],
])("%s forbids none of %j", (sentence, calls) => {
  expect(calls.filter((call) => warns(sentence, call))).toEqual([])
})

test.each([
  "Never trust user input.",
  "Push notifications are never sent on main screens.",
  "Ask for the customer's name before pushing the button in the form.",
  "We never had a commit on main that failed.",
  "No commit was found on main.",
  "No push notifications in the first release.",
  "The user must not be asked before saving.",
  "Make small commits.",
  "Commit to main goals early.",
  "Leave the old text as it is.",
  "Stay out of trouble.",
  "Tag the release notes with the version.",
])("%s is no rule about a call", (sentence) => {
  for (const call of ["git push", "main> git commit -m x", "git push origin main", "main> git push"])
    expect(warns(sentence, call)).toBe(false)
})
