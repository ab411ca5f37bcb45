export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

/**
 * What a shell is given once. Each script asks Drey itself at every Tab, `drey completion SHELL -- WORDS`, so it knows the commands of the
 * version that is installed. The answer is a line for each candidate; a line of ":files" or ":folders" leaves it to the shell.
 */
export const completionScripts: Record<Shell, string> = {
  bash: `# drey completion for bash
_drey() {
  local current="\${COMP_WORDS[COMP_CWORD]}" answer line
  COMPREPLY=()
  answer="$(command drey completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return
  case "$answer" in
    :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    :folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
  esac
  [ "$current" = "=" ] && current=""
  while IFS= read -r line; do
    [[ -n "$line" && "$line" == "$current"* ]] && COMPREPLY+=("$line")
  done <<< "$answer"
}
complete -F _drey drey
`,
  zsh: `#compdef drey
_drey() {
  local answer
  answer="$(command drey completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)" || return
  case "$answer" in
    :files) _files; return ;;
    :folders) _files -/; return ;;
    '') return 1 ;;
  esac
  local -a candidates
  candidates=("\${(@f)answer}")
  _describe -V drey candidates
}
if [ "$funcstack[1]" = "_drey" ]; then
  _drey "$@"
else
  compdef _drey drey
fi
`,
  fish: `# drey completion for fish
function __drey_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (command drey completion fish -- $words[2..-1] 2>/dev/null)
    switch "$answer"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\\n' $answer
    end
end
complete -c drey -f -a '(__drey_complete)'
`,
}
