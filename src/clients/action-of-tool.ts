import type { Action } from "./transcript-event.ts"

/** What a tool does, by any client's name for it; tools of MCP servers and unknown ones are `other`. */
export function actionOfTool(name: string): Action {
  return actions.get(spellingOf(name)) ?? "other"
}

/** `run_shell_command`, `runShellCommand` and `copilot_runShellCommand` are the same name. */
function spellingOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/^copilot_/, "")
    .replace(/[_.-]/g, "")
}

const names: Record<Exclude<Action, "other">, string> = {
  run: `bash powershell shell localshell localshellcall shellcommand execcommand unifiedexec containerexec writestdin
    runshellcommand runcommand runcommands runterminalcmd runterminalcommand runterminalcommandv2 runinterminal executecommand
    getterminaloutput commandstatus bashoutput taskoutput writebash readbash writepowershell readpowershell
    runtask createandruntask runtests`,
  edit: `edit multiedit write notebookedit applypatch patch replace writefile create createfile editfile editfilev2 editor strreplace
    strreplaceeditor strreplacebasededittool searchreplace writetofile writetocode replaceinfile replacestringinfile replacestring multireplacestring insertedit
    multireplacestringinfile inserteditintofile editnotebook editnotebookfile applydiff insertcontent proposecode replacefilecontent
    multireplacefilecontent replacestring multireplacestring insertedit vscodeeditfileinternal deletefile delete`,
  read: `read view readfile readfilev2 readfiles readmanyfiles notebookread ls list listdir listdirv2 listdirectory listfiles
    listcodedefinitionnames viewfile viewfileoutline viewcodeitem viewimage webfetch fetch fetchwebpage readurlcontent readlints
    geterrors getchangedfiles`,
  search: `grep glob rg ripgrep grepsearch ripgreprawsearch searchfilecontent searchfiles filesearch globfilesearch findbyname findfiles
    findtextinfiles codebasesearch semanticsearch semanticsearchfull codesearch searchcodebase searchcode searchworkspacesymbols
    listcodeusages websearch searchweb googlewebsearch toolsearch toolsearchcall`,
  ask: `askuserquestion askuser askquestion askquestions askfollowupquestion question requestuserinput exitplanmode planmoderespond
    planexit`,
}

const actions = new Map(
  Object.entries(names).flatMap(([action, list]) => list.split(/\s+/).map((name) => [name, action as Action] as const)),
)
