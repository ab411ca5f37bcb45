/** Sent to the model before it sees any tool: clients may hide tools behind a search. */
export const instructions = `Drey is this team's memory.
- Before you begin a task, call get_task_context with the task in one sentence and the relevant files. Follow its rules; the rest is background and may be out of date.
- When you do not know what was decided, or why, or an error looks familiar: memory_search; memory_read returns a full item by its id. What happened last time: recent.
- When something is decided, or the user states a rule or a fact worth keeping: memory_write. Never secrets, never the state of the current task.
- When the task is done: report_outcome, with the handles (m:1a2b3c) of what helped and what was wrong.
- When agents share a task: session_record what you discover, try and decide; session_recall before you try something again.`
