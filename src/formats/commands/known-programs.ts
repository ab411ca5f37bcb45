/** Names that in plain words can only mean the program. */
export const plainPrograms = words(
  `git npm npx pnpm pnpx yarn bun bunx pip pip3 pipenv virtualenv conda uv uvx poetry tox nox pytest vitest jest mocha tsc eslint prettier
  biome webpack esbuild rollup docker docker-compose podman kubectl helm terraform tofu pulumi ansible gcloud gsutil heroku vercel netlify
  flyctl wrangler psql pg_dump mysql mongosh redis-cli sqlite3 prisma alembic sudo chmod chown rm rsync scp ssh curl wget dropdb cargo
  rustup dotnet nuget mvn gradle gradlew sbt rake rspec bundler composer artisan phpunit systemctl apt-get brew nvm grep ripgrep awk sed
  gh jq tsx ts-node nodemon pm2 lerna nx turbo xcodebuild cocoapods adb keytool gpg openssl`,
)

/** The same with those whose names are words, or say nothing without what follows them; in code they are programs. */
export const programs = new Set([
  ...plainPrograms,
  ...words(
    `make just task go node deno python python3 ruby rails perl php bash sh zsh pwsh powershell java javac swift dart flutter mix elixir
    next vite ng expo fly flutter stack cabal ghc zig gcc g++ clang cmake ninja bazel aws az apt dnf yum apk pacman port find fd rg ls cat
    cd cp mv ln kill pkill killall tar zip unzip patch diff tail head tee touch mkdir dd mount crontab firebase supabase serverless sam cdk
    cypress playwright storybook twine gem pod hatch pdm black ruff isort mypy flake8 pylint gofmt golangci-lint rustfmt clippy ctest`,
  ),
])

/** Every task runs them: a guard about one of these alone would speak all the time. */
export const everydayPrograms = words("git node python python3 bash sh zsh pwsh powershell cd ls cat echo gh find")

function words(list: string): Set<string> {
  return new Set(list.split(/\s+/))
}
