import WifiOff from "lucide-react/icons/wifi-off"
import { Link } from "wouter"
import { type Connection, useConnection } from "../api/live.tsx"
import { signInHref } from "./sign-in-href.ts"

const texts: Record<Connection, string | null> = {
  open: null,
  lost: "Connection lost, reconnecting. This page may be out of date.",
  expired: "This link is no longer valid. Run drey ui and open the new one.",
  "signed-out": "You are signed out. This page may be out of date.",
}

export function ConnectionNotice() {
  const connection = useConnection()
  const text = texts[connection]
  return (
    <div role="status" className="connection-notice">
      {text ? (
        <p>
          <WifiOff size={16} aria-hidden /> {text}
          {connection === "signed-out" ? <Link href={signInHref(location)}>Sign in again</Link> : null}
        </p>
      ) : null}
    </div>
  )
}
