/**
 * What `drey` and `drey --help` print: the commands of the first day on one screen. It is printed before anything else is loaded, so it is
 * written out here; a test holds it against the commands.
 */
export const dayOneHelp = `Drey: one memory for a team of coding agents.

Start   init, connect        Set up this repository; connect coding agents
Write   remember TEXT        Save a rule, a decision or a note
        edit ID, forget ID   Change or remove anything
        inbox                Review what agents propose
Find    search, list         Search everything; list entries
        show ID, log         Explain one item; see what happened
        context TASK         Show what an agent is handed for a task
Keep    learn                Learn from your agents' work
        status, check        See how it is going; check that all is well
        tidy, undo           Merge and archive; undo the last change
        ui, demo             Look around in the browser; see a sample

Examples:
  drey init
  drey remember "Indent with tabs"
  drey context "Add a settings page"

drey help COMMAND explains one, drey help --all lists the rest.
Documentation: drey help topics prints where it is.
`
