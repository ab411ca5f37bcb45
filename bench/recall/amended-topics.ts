/** A matter that was decided one way and later another, and the question a colleague would ask about it. */
export type AmendedTopic = {
  subject: string
  question: string
  first: string
  why: string
  then: string
  whyThen: string
}

/** Subject | question | what was decided | why | what it was changed to | why. */
const rows = `
retry policy | How often do we try again when a call fails? | retry three times, one second apart | most faults last less than a second | retry five times with exponential backoff and jitter | fixed pauses made all workers knock at the same moment
identifier format | Which kind of id do new rows get? | use auto-incremented integers | integers are short and sort by age | use UUID version 7 | ids have to be made offline and still sort by time
log format | What shape do log lines have? | write plain text lines | a person reads them in the terminal | write JSON lines with a trace id | the collector could not parse stack traces
session storage | Where do we keep who is signed in? | keep sessions in process memory | one instance is all we run | keep sessions in Redis | a rolling restart signed everybody out
date handling | What library do we use for dates? | use moment | everybody on the team knows it | use the Temporal polyfill | it is in maintenance mode and mutates its values
error responses | What does an endpoint send back when something goes wrong? | return a string message with status 400 | clients only show the message | return problem details as RFC 9457 says | clients need a stable code to react to
test database | What do the integration tests run against? | run against SQLite in memory | it starts in milliseconds | run against a PostgreSQL container | three bugs came from differences between the two engines
branching model | From which branch do I start a feature? | branch from develop | main must always be what runs in production | branch from main and release from tags | develop was weeks ahead and nobody dared to merge it
pagination | How does a client get the next page of a list? | use offset and limit | it maps straight to SQL | use opaque cursors | rows were skipped whenever somebody inserted meanwhile
password hashing | How are passwords stored? | hash with bcrypt at cost 10 | it is in the standard image | hash with argon2id, 64 MB | the audit asked for a memory-hard function
feature flags | How do we switch an unfinished feature off? | use environment variables | no further service to run | use the OpenFeature client with a file provider | a restart for each switch took too long
cache lifetime | How long may an answer be served from the cache? | keep entries for 24 hours | the content hardly changes | keep entries for five minutes and revalidate | editors complained that corrections did not show up
code formatting | Which tool lays out our source? | format with Prettier | editors have it built in | format with Biome | one fast tool replaces two configurations
package manager | What do I install the dependencies with? | use yarn classic | workspaces were only there | use pnpm with a frozen lockfile | phantom dependencies broke the container build
file uploads | How do big files get to us? | send them through the API as multipart | one door is easier to guard | send them straight to the bucket with a signed URL | uploads over 100 MB ran into the proxy's timeout
background jobs | What runs the work that happens later? | use a cron entry on the host | there is only one nightly job | use pg-boss on our own database | jobs were lost when the host was replaced
API versioning | How does a caller say which version it speaks? | put the version in the path | it is visible in every log | put the version in a dated header | every minor change forced a new set of routes
accessibility target | Which level of accessibility do pages have to meet? | meet WCAG 2.1 level A | level A is what the contract says | meet WCAG 2.2 level AA | the public sector contract demands it from June
state management | How do the screens share their data? | use Redux with thunks | one store is easy to inspect | use TanStack Query and local state | nine tenths of the store was a copy of the server
secrets | Where do credentials for deployments live? | keep them in CI variables | the pipeline has them at hand | fetch them from the vault with a short-lived token | nobody knew who could read them
time zone | In which zone are times kept? | store local time of the office | all users are in one country | store UTC and convert at the edge | the second office is seven hours away
currency amounts | How do we represent money? | use floating point numbers with two decimals | it is what the form sends | use integers of the smallest unit | sums were off by a cent at the end of the month
code review | How many people have to approve a change? | one approval is enough | the team is small | two approvals, one of them by the owner | an unreviewed migration took the service down
deployment | How does a new version go live? | deploy by hand on Thursdays | somebody has to watch it | deploy every merge after the smoke tests | batches of a week made faults hard to find
metrics | What do we collect measurements with? | push to StatsD | the library is tiny | expose OpenTelemetry and let it be scraped | we could not tell instances apart
message broker | What carries events between the services? | use RabbitMQ | operations has run it for years | use NATS JetStream | consumers have to replay the last seven days
search engine | What answers the search box? | use Elasticsearch | it ranks well out of the box | use SQLite FTS5 | a cluster for forty thousand rows cost more than the rest
image format | In which format are pictures served? | serve JPEG at quality 80 | every browser shows it | serve AVIF with a WebP fallback | pictures were two thirds of the page's weight
rate limit | How many requests may a client send? | allow 100 requests a minute for each address | addresses need no sign-up | allow 1,000 requests an hour for each key | whole offices sit behind one address
dependency updates | When do we take newer versions of libraries? | update by hand each quarter | updates disturb the sprint | let the bot open a pull request every week | four quarters of changes at once broke the build
coverage threshold | How much of the code has to be tested? | require 90 percent line coverage | a number keeps us honest | require tests for changed lines only | people wrote tests for getters
browser support | Which browsers do we have to work in? | support the last four versions and Internet Explorer 11 | a customer still runs it | support what Baseline calls widely available | that customer has moved and polyfills were 80 KB
configuration | Where does the program read its settings from? | read a YAML file | comments explain each setting | read environment variables, checked by a schema | typing errors were found only in production
schema changes | How do we alter tables? | let the ORM synchronise the schema at start | nobody has to write SQL | write numbered SQL migrations | a renamed column was dropped with its data
data retention | How long do we keep what users did? | keep events forever | analysts may need them one day | delete events after 13 months | the data protection officer asked for a limit
container image | What do our images build on? | build on Debian slim | we can open a shell in it | build on a distroless image | the scanner reported sixty packages we never use
authentication | How do services prove who they are to each other? | share a static API key | it is one header | use mutual TLS with certificates of a day | the key was found in a bug report
styling | How do we write the looks of components? | use styled-components | styles live beside the markup | use CSS modules with custom properties | computing styles in the browser cost 200 ms at start
monorepo tool | What decides which packages are built? | use Lerna | it also publishes | use the package manager's own filters | two tools disagreed about the order
incident notice | Where do we tell people that something is broken? | post in the team channel | everybody reads the channel | post on the status page first, then in the channel | customers heard of it from each other
`

export const amendedTopics: AmendedTopic[] = rows
  .trim()
  .split("\n")
  .map((row) => {
    const [subject = "", question = "", first = "", why = "", then = "", whyThen = ""] = row.split(" | ")
    return { subject, question, first, why, then, whyThen }
  })
