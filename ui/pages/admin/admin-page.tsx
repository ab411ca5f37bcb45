import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Role } from "../../../src/server/api.ts"
import { meQuery } from "../../api/team-queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { Page } from "../../parts/page.tsx"
import { Tabs } from "../../parts/tabs.tsx"
import { useSearchValues } from "../../parts/use-search-values.ts"
import "./admin.css"
import { AuditTab } from "./audit-tab.tsx"
import { InvitationsTab } from "./invitations/invitations-tab.tsx"
import { MembersTab } from "./members/members-tab.tsx"
import { OrganisationTab } from "./organisation/organisation-tab.tsx"
import { ProjectsTab } from "./projects-tab.tsx"
import { roleWith, type TabId, tabsFor } from "./rights.ts"
import { TeamsTab } from "./teams/teams-tab.tsx"
import { TokensTab } from "./tokens/tokens-tab.tsx"

const names: Record<TabId, string> = {
  members: "Members",
  teams: "Teams",
  invitations: "Invitations",
  tokens: "Tokens",
  projects: "Projects",
  audit: "Audit",
  organisation: "Organisation",
}

/** Who is in the organisation and what they may do; what the role does not allow is not offered. */
export function AdminPage() {
  const me = useQuery(meQuery())
  return (
    <Page title="Admin">
      <Answer query={me}>
        {({ member, scopes }) => <AdminParts own={member.role} role={roleWith(member.role, scopes)} />}
      </Answer>
    </Page>
  )
}

function AdminParts({ own, role }: { own: Role; role: Role }) {
  return (
    <>
      {own === role ? null : (
        <p className="admin-intro">
          You signed in with a token, which allows less than your role, {own}. Sign in another way to do more.
        </p>
      )}
      <AdminTabs role={role} />
    </>
  )
}

function AdminTabs({ role }: { role: Role }) {
  const [values, change] = useSearchValues()
  const tabs = tabsFor(role)
  const shown = tabs.find((tab) => tab === values.get("tab")) ?? "members"
  return (
    <Tabs
      label="Parts of the organisation"
      shown={shown}
      onChange={(tab) => change({ tab: tab === "members" ? null : tab }, { replace: true })}
      tabs={tabs.map((tab) => ({ id: tab, name: names[tab], content: contentOf(tab, role) }))}
    />
  )
}

function contentOf(tab: TabId, role: Role): ReactNode {
  switch (tab) {
    case "members":
      return <MembersTab role={role} />
    case "teams":
      return <TeamsTab />
    case "invitations":
      return <InvitationsTab role={role} />
    case "tokens":
      return <TokensTab role={role} />
    case "projects":
      return <ProjectsTab />
    case "audit":
      return <AuditTab />
    case "organisation":
      return <OrganisationTab role={role} />
  }
}
