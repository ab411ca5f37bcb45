import { z } from "zod"
import {
  evidenceSources,
  memoryKinds,
  memoryOrigins,
  memoryScopes,
  memoryStatuses,
  memoryTiers,
} from "../memories/memory.ts"

/**
 * The requests and responses of the team server, as JSON over HTTP; both sides validate them with these schemas, and the OpenAPI document
 * is generated from them. Times are ISO strings. Unknown fields are dropped, so that an older client and a newer server understand each
 * other.
 */

export const roles = ["owner", "admin", "member", "viewer"] as const
export const scopes = ["read", "write", "admin"] as const

const id = z.string().min(1).max(200)
const time = z.iso.datetime({ offset: true })
const name = z.string().trim().min(1).max(100)
const text = z.string().min(1).max(2000)

export const role = z.enum(roles)
export const scope = z.enum(scopes)
export const slug = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, "lower-case letters, digits and hyphens")

/** With every status from 400 on. `code` is for programs and never changes; `error` is a sentence for people and names no content. */
export const problem = z.object({ error: z.string(), code: z.string(), current: z.unknown().optional() })

export const trigger = z.object({
  tools: z.array(z.string().max(200)).max(50),
  heads: z.array(z.string().max(200)).max(50),
  paths: z.array(z.string().max(1000)).max(50),
  fingerprints: z.array(z.string().max(200)).max(50),
})

export const metrics = z.object({
  useCount: z.number(),
  opportunities: z.number(),
  hits: z.number(),
  misses: z.number(),
  regretSaved: z.number(),
})

/** A memory of the team (owner: a team's id) or of the whole organisation. */
export const teamMemory = z.object({
  id,
  project: id.nullable(),
  scope: z.enum(memoryScopes),
  pathPrefix: z.string().max(1000).nullable(),
  owner: z.object({ type: z.enum(["team", "org"]), id }),
  kind: z.enum(memoryKinds),
  tier: z.enum(memoryTiers),
  polarity: z.union([z.literal(1), z.literal(-1)]),
  key: z.string().max(200).nullable(),
  text,
  status: z.enum(memoryStatuses),
  confidence: z.number().min(0).max(1),
  expires: time.nullable(),
  pinned: z.boolean(),
  flags: z.array(z.string().max(100)).max(20),
  trigger,
  origin: z.enum(memoryOrigins),
  trust: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  /** The member who shared it, as others see them; attribution is always shown. */
  contributedBy: z.string().max(200),
  /** The contributor's own memory that it is a copy of. */
  sourceMemory: id.nullable(),
  version: z.number().int(),
  created: time,
  updated: time,
  metrics,
})

/**
 * What a member shares: the text is checked by governance again here, whatever the client did. Owner: one of the member's teams, or else
 * the organisation. Status, confidence, origin and trust describe it on the member's machine; with the team it is on trial.
 */
export const sharedMemory = teamMemory
  .pick({
    project: true,
    scope: true,
    pathPrefix: true,
    kind: true,
    tier: true,
    polarity: true,
    key: true,
    text: true,
    status: true,
    confidence: true,
    expires: true,
    trigger: true,
    origin: true,
    trust: true,
    created: true,
  })
  .extend({ sourceMemory: id, team: id.nullable() })

/** The same event twice is one event: `key` is made by the client and names it for ever. */
export const useEvent = z.object({
  key: id,
  memory: id,
  task: id,
  project: id,
  at: time,
  injected: z.boolean(),
  outcome: z.enum(["hit", "miss", "helped", "wrong"]).nullable(),
  exposed: z.boolean(),
  cited: z.boolean(),
  regretSaved: z.number().min(-1000).max(1000),
  netRegret: z.number().min(-1000).max(1000),
})

/** An episode as it was cut from a transcript, for projects that have agreed to it; redacted by the client and again by the server. */
export const episode = z.object({
  id,
  project: id,
  client: id,
  session: id,
  start: time,
  end: time,
  events: z
    .array(
      z.looseObject({
        id,
        ts: z.string(),
        line: z.number(),
        role: z.string(),
        kind: z.string(),
        summary: z.string().max(20_000),
      }),
    )
    .max(5000),
  stats: z.looseObject({}),
  flushReason: z.string().max(50),
})

export const member = z.object({
  id,
  name,
  email: z.string().max(320),
  role,
  teams: z.array(id),
  joined: time,
  lastSeen: time.nullable(),
})
export const team = z.object({ id, name, members: z.number().int() })
export const token = z.object({
  id,
  name,
  scopes: z.array(scope),
  member: id,
  created: time,
  expires: time,
  lastUsed: time.nullable(),
  /** Its first characters, to distinguish it from others. */
  hint: z.string(),
})
export const invitation = z.object({
  id,
  email: z.string().max(320),
  role,
  teams: z.array(id),
  created: time,
  expires: time,
  invitedBy: z.string(),
})
export const project = z.object({ id, memories: z.number().int(), episodes: z.boolean(), lastChange: time.nullable() })
export const organisation = z.object({
  slug,
  name,
  created: time,
  memories: z.number().int(),
  members: z.number().int(),
})

export const me = z.object({
  organisation: organisation.pick({ slug: true, name: true }),
  member,
  scopes: z.array(scope),
  server: z.string(),
})

export const changes = z.object({
  memories: z.array(teamMemory),
  /** Ids of memories that have ended or are no longer visible: clients drop their copies. */
  removed: z.array(id),
  /** What to ask for the next time. */
  next: z.number().int(),
  more: z.boolean(),
})

export const contextQuestion = z.object({
  project: id.nullable(),
  task: z.string().min(1).max(20_000),
  agent: z.string().max(200).optional(),
  paths: z.array(z.string().max(1000)).max(200).optional(),
  budget: z.number().int().min(50).max(100_000).optional(),
})
export const contextAnswer = z.object({
  text: z.string(),
  tokens: z.number(),
  budget: z.number(),
  taskId: z.string(),
  included: z.array(
    z.object({
      id,
      source: z.string(),
      kind: z.string(),
      score: z.number(),
      tokens: z.number(),
      reason: z.string(),
      contributedBy: z.string(),
    }),
  ),
  left: z.array(z.object({ id, reason: z.string() })),
})
export const searchHit = z.object({
  id,
  kind: z.string(),
  snippet: z.string(),
  score: z.number(),
  project: id.nullable(),
  contributedBy: z.string(),
})

export const auditRecord = z.object({
  seq: z.number().int(),
  at: time,
  actor: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  reason: z.string().nullable(),
})

/** The responses of the lists; `after` of the audit is the `next` of the previous page and leads to older records. */
export const members = z.object({ members: z.array(member) })
export const teams = z.object({ teams: z.array(team) })
export const invitations = z.object({ invitations: z.array(invitation) })
export const tokens = z.object({ tokens: z.array(token) })
export const projects = z.object({ projects: z.array(project) })
export const auditPage = z.object({ records: z.array(auditRecord), next: z.number().int().nullable() })

/** Returned only once: the link and the secret are not stored. */
export const invited = z.object({ invitation, link: z.string() })
export const tokenMade = z.object({ token, secret: z.string() })

/** `GET /v1/sign-in/methods?org=`; the same for an organisation that does not exist. */
export const signInMethods = z.object({ token: z.literal(true), oidc: z.object({ name }).nullable() })
/** `POST /v1/sign-in/link/look {token}`: the target of a one-time link, without using it. */
export const linkPreview = z.object({
  organisation: organisation.pick({ slug: true, name: true }),
  role,
  email: z.string().max(320),
})

export const memoryHistory = z.object({
  evidence: z.array(z.object({ source: z.enum(evidenceSources), quote: z.string(), at: time })),
  uses: z.array(z.object({ task: z.string(), at: time, injected: z.boolean(), outcome: z.string().nullable() })),
  audit: z.array(z.object({ at: time, action: z.string(), reason: z.string() })),
})

/** `GET /v1/memories`: newest first; `after` is the `next` of the page before. */
export const memoryPage = z.object({ memories: z.array(teamMemory), next: z.string().nullable() })
export const memoryDetail = z.object({ memory: teamMemory, history: memoryHistory })
/**
 * `version`: the one that was read. One change at a time: the text, whether it is pinned, or its status. A new text makes it another
 * memory, with another id.
 */
export const memoryChange = z.object({
  version: z.number().int(),
  text: text.optional(),
  pinned: z.boolean().optional(),
  status: z.enum(memoryStatuses).optional(),
  tier: z.enum(memoryTiers).optional(),
})
export const memoryRemoval = z.object({
  version: z.number().int().optional(),
  reason: z.string().trim().min(1).max(1000),
  purge: z.boolean().default(false),
})

export const searchQuestion = z.object({
  q: z.string().trim().min(1).max(2000),
  project: id.nullable().optional(),
  limit: z.number().int().min(1).max(100).default(20),
})
export const searchAnswer = z.object({ hits: z.array(searchHit) })

/**
 * How many of the events were new, how many were known already, and how many do not count: those of memories that the member shared or
 * cannot see, and those beyond the daily limit for each.
 */
export const usesQuestion = z.object({ events: z.array(useEvent).min(1).max(500) })
export const usesAnswer = z.object({
  taken: z.number().int(),
  known: z.number().int(),
  ignored: z.number().int().default(0),
})
/** `refused`: content that governance accepts in no form. */
export const episodesQuestion = z.object({ episodes: z.array(episode).min(1).max(20) })
export const episodesAnswer = z.object({ taken: z.number().int(), known: z.number().int(), refused: z.number().int() })

export type MemoryPage = z.infer<typeof memoryPage>
export type UploadedEpisode = z.infer<typeof episode>
export type Role = z.infer<typeof role>
export type TokenScope = z.infer<typeof scope>
export type TeamMemory = z.infer<typeof teamMemory>
export type SharedMemory = z.infer<typeof sharedMemory>
export type UseEvent = z.infer<typeof useEvent>
export type ChangesPage = z.infer<typeof changes>
export type Me = z.infer<typeof me>
export type ServerProblem = z.infer<typeof problem>
export type Member = z.infer<typeof member>
export type TeamSummary = z.infer<typeof team>
export type Invitation = z.infer<typeof invitation>
export type Token = z.infer<typeof token>
export type ServerProject = z.infer<typeof project>
export type Organisation = z.infer<typeof organisation>
export type AuditPage = z.infer<typeof auditPage>
export type CreatedInvitation = z.infer<typeof invited>
export type CreatedToken = z.infer<typeof tokenMade>
export type SignInMethods = z.infer<typeof signInMethods>
export type LinkPreview = z.infer<typeof linkPreview>
