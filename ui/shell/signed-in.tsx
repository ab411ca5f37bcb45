import LogOut from "lucide-react/icons/log-out"
import type { About } from "../../src/recall/browse/app-api.ts"
import { IconButton } from "../parts/icon-button.tsx"
import { useSignOut } from "./use-sign-out.ts"

/** Who is signed in, as what, and the way out. */
export function SignedIn({ team: { member, role } }: { team: NonNullable<About["team"]> }) {
  const signOut = useSignOut()
  return (
    <div className="signed-in">
      <span className="signed-in-who">
        <span className="signed-in-name">{member}</span>
        <span className="signed-in-role">{role}</span>
      </span>
      <IconButton name="Sign out" icon={<LogOut size={16} aria-hidden />} onClick={signOut} />
    </div>
  )
}
