import { detectForbidden } from "../../governance/detect-forbidden.ts"
import { isTransient } from "../../governance/detect-transient.ts"
import { holdsMark } from "../../governance/find-sensitive.ts"

/**
 * Whether a sentence is nothing to keep once the session is over: it speaks of the work in hand, of a state that passes, it asks, or it
 * repeats what Drey handed out.
 */
export function isMomentary(sentence: string): boolean {
  return signs.some((sign) => sign.test(sentence)) || isTransient(sentence)
}

/** Whether something had to be taken out of it, or has to be: what is left would mislead. */
export function isIncomplete(sentence: string): boolean {
  return holdsMark(sentence) || detectForbidden(sentence).length > 0
}

const signs = [
  /\?\s*$/,
  /\b(?:for now|right now|at the moment|for the time being|currently|so far|not yet|as of (?:now|today)|temporarily|temporary (?:fix|hack|workaround|solution)|today|yesterday|tomorrow|tonight|this (?:morning|afternoon|week))\b/i,
  /\b(?:todo|to-do|wip|work in progress|in progress|half[- ]done|partially (?:done|implemented|exists?))\b|\b(?:is|are|but|still|yet) (?:incomplete|unfinished)\b/i,
  /\b(?:this|current|our|the present) (?:task|session|step|attempt|plan|run|branch|ticket|issue|sprint|pr|pull request|request)\b/i,
  /\b(?:the )?task(?:'s)? (?:requirements?|explicitly|specifically|asks?|says|mentions|requires|complexity|description)\b|\b(?:for|in|by) the task\b|\bas (?:specified|requested|asked|planned)\b/i,
  /\b(?:pr|mr|pull request|merge request|issue|ticket|build|job|run) ?[#!]\d+|(?<![\w&]|error )#\d{1,7}\b|\b(?:plan )?step \d{1,3}\b|\bcommit [0-9a-f]{7,40}\b/i,
  /\b(?:attempt|discovery|decision|disc|dec)-(?:[a-z]{1,20}-)?\d/i,
  /^(?:needs?|next(?: steps?)?|remaining|missing|still (?:open|missing|to do)|open questions?|will|going to|about to|can proceed|i (?:will|should|need))\b|^existing:|^[^:]{0,60}\bneeds?:/i,
  /\bm:[0-9a-f]{6}\b|\bm-[0-9a-f]{16}\b|<drey-context\b/,
  /\bmore careful(?:ly)?\b|\bshould(?: ha|')ve (?:read|checked|known|looked|asked|thought|noticed)\b/i, // hindsight, of no use to others
]
