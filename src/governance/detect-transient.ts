/** Whether a text only tells how a run stands now ("CI failed on main"); a rule or a lesson that speaks of CI is durable. */
export function isTransient(text: string): boolean {
  if (text.length > longest || !status.test(text)) return false
  const sentences = text.split(/[.!?;](?:\s|$)|\n/).filter((sentence) => /\p{L}/u.test(sentence))
  const passing = sentences.filter((sentence) => status.test(sentence) && !durable.test(sentence))
  return passing.length > 0 && passing.length * 2 > sentences.length
}

/** A report this long says more than a status. */
const longest = 400

const run =
  "(?:CI|CD|builds?|pipelines?|workflows?|nightly|deploy(?:ment)?|checks?|tests?|test suite|e2e|lint|PRs?|pull requests?|MRs?|merge requests?|main|master|trunk)"
const which =
  "(?:[ \\t](?:run|job|build|check|checks|suite|branch|status|pipeline|workflow))?(?:[ \\t]?[#!]?\\d+)?(?:[ \\t](?:on|for|of|in)[ \\t][\\w/#.-]{1,40}(?:[ \\t](?:branch|repo))?)?"
const now = "(?:[ \\t]?[:=]|[ \\t](?:is|are|was|were|has|have|been|just|now|currently|still|all|again|already))*"
const state =
  "(?:fail(?:ed|ing|s)?|passed|passing|green|red|broken|pending|running|queued|stuck|blocked|succeeded|mergeable|approved|open|in review|in progress|waiting|down|timed out)"

const status = new RegExp(
  [
    `\\b${run}${which}${now}[ \\t*\\u{2705}\\u{274C}]{1,4}${state}\\b(?![ \\t]?(?:source|policy|path|flag|team|field|button|zone|state|status|rate|threshold|-|/))`,
    `\\b(?:waiting|blocked|pending)[ \\t](?:for|on)[ \\t](?:the[ \\t])?(?:CI|review|checks?|the build|PR)\\b`,
    `\\b(?:re-?running|re-?ran|retrying)[ \\t](?:the[ \\t])?(?:CI|build|pipeline|workflow|job|tests?)\\b`,
    `\\b\\d+[ \\t](?:of|/)[ \\t]\\d+[ \\t](?:checks|tests|jobs)[ \\t](?:passed|failed|passing|failing|green|red)\\b`,
  ].join("|"),
  "iu",
)

/** Words of rules, conditions and causes. */
const durable =
  /\b(?:must|should|shall|requires?|required|always|never|when(?:ever)?|if|before|until|unless|only|every|each|any|do not|don't|ensure|prefer|because|since|due to|caused?|root cause|fix(?:ed|es)?|so that|means|counts? as|policy|rule|gate|decided|use)\b/i
