import { expect, test } from "vitest"
import { commandHead } from "./command-head.ts"

test.each([
  ["cd x && FOO=1 npm run build -- --flag", "npm run build"],
  ['git commit -m "run npm test && deploy"', "git commit"],
  ["git add -A && git commit -m x", "git commit"],
  ["git -C ../other status", "git status"],
  ["npm run test", "npm test"],
  ["npm t", "npm test"],
  ["pnpm --filter web run test:unit", "pnpm test:unit"],
  ["yarn workspace web build", "yarn build"],
  ["timeout 60 npx vitest run src/a.test.ts", "vitest"],
  ["npx -y prisma@6 migrate dev", "prisma migrate dev"],
  ["uv run --with rich pytest -q", "pytest"],
  ["python3 -m pytest tests/", "pytest"],
  ["python3.12 -m pip install x", "pip install"],
  ["python3 -c 'print(1)'", "python -c"],
  ["python manage.py migrate", "manage.py migrate"],
  ["node scripts/build.mjs --watch", "node build.mjs"],
  ["./scripts/deploy.sh prod", "deploy.sh"],
  ["bash scripts/deploy.sh", "deploy.sh"],
  ["bash -lc 'cd web && pnpm lint'", "pnpm lint"],
  ["docker compose -f dev.yml exec -T app npm test", "npm test"],
  ["docker compose up -d", "docker compose up"],
  ["sudo -u www systemctl restart nginx", "systemctl restart"],
  ["env -u CI go test ./...", "go test"],
  ["time cargo +nightly test -p core", "cargo test"],
  ["./gradlew :app:testDebug --info", "gradlew :app:testDebug"],
  ["make -C firmware FOO=1 flash", "make flash"],
  ["gh pr create --title x", "gh pr create"],
  ["(cd a; npm test)", "npm test"],
  ["npm test 2>&1 | tail -20", "npm test"],
  ["for f in *.go; do gofmt -l $f; done", "gofmt"],
  ["cat <<'EOF' > run.js\nnpm test\nEOF\nnode run.js", "node run.js"],
  ["cd src && ls", "ls"],
  ['$env:CI="1"; npm run build', "npm run build"],
  ["Set-Location C:\\src; dotnet test .\\a.sln", "dotnet test"],
  ["& 'C:\\Program Files\\nodejs\\node.exe' build.js", "node build.js"],
  ["Get-ChildItem -Path . | Select-Object Name", "get-childitem"],
  ['pwsh -Command "Invoke-Pester ./tests"', "invoke-pester"],
  ['cmd /c "mvn.cmd -q verify"', "mvn verify"],
])("%s → %s", (line, head) => {
  expect(commandHead(line)).toBe(head)
})

test("text that is not a program has no head", () => {
  for (const line of ["", "   ", "# a comment", "cd ..", "FOO=1"]) expect(commandHead(line)).toBeUndefined()
})

test("an invalid shell line does not fail, however long", () => {
  for (const line of ['echo "', "a $(b $(c", "cat <<EOF", "((((", "|".repeat(5000), `"${"\\".repeat(9000)}`]) {
    expect(() => commandHead(line)).not.toThrow()
  }
})
