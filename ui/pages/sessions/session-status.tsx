const words: Record<string, string> = { active: "running" }

export function SessionStatus({ status }: { status: string }) {
  return (
    <span className="session-status" data-status={status}>
      {words[status] ?? status}
    </span>
  )
}
