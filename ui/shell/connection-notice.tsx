import WifiOff from "lucide-react/icons/wifi-off"
import { useConnection } from "../api/live.tsx"

const texts = {
  open: null,
  lost: "Connection lost, trying again. What is shown may be out of date.",
  expired: "This link is no longer valid. Run drey ui and open the new one.",
}

export function ConnectionNotice() {
  const text = texts[useConnection()]
  return (
    <div role="status" className="connection-notice">
      {text ? (
        <p>
          <WifiOff size={16} aria-hidden /> {text}
        </p>
      ) : null}
    </div>
  )
}
