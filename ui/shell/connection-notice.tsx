import WifiOff from "lucide-react/icons/wifi-off"
import { useConnection } from "../api/live.tsx"

export function ConnectionNotice() {
  const connection = useConnection()
  return (
    <div role="status" className="connection-notice">
      {connection === "lost" ? (
        <p>
          <WifiOff size={16} aria-hidden /> Connection lost, trying again. What is shown may be out of date.
        </p>
      ) : null}
    </div>
  )
}
