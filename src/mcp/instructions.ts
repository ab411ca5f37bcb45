/** What a model is told of the server before it has looked at any tool: clients may keep the tools behind a search. */
export const instructions = `Drey is this team's memory.
- Before you begin a task, call get_task_context with the task in a sentence and the files it is about. Follow its rules; the rest are records of colleagues and may be out of date.
- When you do not know what was decided, or why, or an error looks familiar: memory_search; memory_read opens an item whole by its id. What happened last time: recent.
- When something is decided, or the user states a rule or a fact worth keeping: memory_write. Never secrets, never the state of the task in hand.
- When the task is done: report_outcome, with the handles (m:1a2b3c) of what helped and what was wrong.
- When agents share a task: session_record what you find out, try and decide; session_recall before you try something again.`
