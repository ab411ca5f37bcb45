/**
 * Whether a prohibition concerns something irreversible and deserves a warning: an action and its object, not a single
 * word.
 */
export function forbidsHarm(rule: string): boolean {
  return deeds.some((deed) => deed.test(rule))
}

const deeds = [
  /\b(?:commit|push|merg)(?:e|es|ing|ting)?\b.{0,40}\b(?:to|into|on) (?:the )?(?:main|master|trunk|prod|production|release|default branch)\b/i,
  /\bforce[- ]?push|\bpush(?:ing)?\b.{0,30}(?:--force|\s-f\b)|\brm -r?f|\breset --hard\b|\bgit clean\b/i,
  /\b(?:delet|drop|wip|eras|destroy|purg|truncat|overwrit|remov)(?:e|p?ing)?\b.{0,40}\b(?:data|databases?|db|tables?|schemas?|columns?|rows|records|backups?|buckets?|volumes?|branch(?:es)?|migrations?|users|accounts?|customers?|home directory|clusters?)\b/i,
  /\bdeploy(?:ing)?\b|\b(?:publish|releas|ship)(?:e|ing)?\b.{0,40}\b(?:npm|pypi|crates\.io|registry|packages?|prod|production|versions?|without asking)\b/i,
  /\b(?:run|execut|test|touch|connect|point|writ|migrat|seed|appl|restart|chang|edit|modif|work)(?:y|e|ing)?\b.{0,60}\b(?:prod|production|live)(?: (?:db|database|data|server|system|cluster|environment)s?)?\b(?! (?:code|builds?|bundles?|mode|files?|dependenc))/i,
  /\b(?:terraform|tofu|pulumi) (?:apply|destroy|up)\b|\bkubectl (?:apply|delete|scale)\b|\bhelm (?:upgrade|uninstall)\b/i,
  /\b(?:expos|commit|push|log|print|shar|leak|hard-?cod|stor|past|send|put|includ|show|upload|check)(?:e|ting|ging|ing)?\b.{0,50}(?:\b(?:secrets?|credentials?|passwords?|tokens?|api keys?|private keys?|personal data|pii|customers?)\b|\.env\b)/i,
  /\b(?:charg|refund|bill|e-?mail|mail|messag|notif)(?:e|y|ing|ying)?\b.{0,20}\b(?:customers?|users?|cards?|clients?)\b/i,
]
