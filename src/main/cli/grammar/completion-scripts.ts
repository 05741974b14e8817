/** Shells with completions. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

/** The hidden verb that the scripts call: words of the line as arguments, one proposal per line as an answer. */
export const completeVerb = '__complete'

/**
 * Each script asks `coppice` itself what fits, so that verbs, flags, threads and branches are always those of the
 * installed version. An answer has one proposal per line, a tab and what it means. The line `:file` or `:folder` leaves
 * the word to the shell.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# Completions of coppice for bash. Load them with: eval "$(coppice completion bash)"
_coppice() {
  local line word=\${COMP_WORDS[COMP_CWORD]}
  local -a found
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :file) compopt -o filenames 2>/dev/null; mapfile -t found < <(compgen -f -- "$word"); COMPREPLY+=("\${found[@]}") ;;
      :folder) compopt -o filenames 2>/dev/null; mapfile -t found < <(compgen -d -- "$word"); COMPREPLY+=("\${found[@]}") ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(coppice ${completeVerb} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _coppice coppice
`,
  zsh: `#compdef coppice
# Completions of coppice for zsh. Load them after compinit with: eval "$(coppice completion zsh)"
_coppice() {
  local line
  local -a proposals
  for line in "\${(@f)$(coppice ${completeVerb} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :file) _files ;;
      :folder) _files -/ ;;
      *) proposals+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( \${#proposals} )) && _describe -t words coppice proposals
}
compdef _coppice coppice
`,
  fish: `# Completions of coppice for fish. Keep them in ~/.config/fish/completions/coppice.fish
function __coppice_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (coppice ${completeVerb} $words[2..-1] 2>/dev/null)
        switch $line
            case ':file'
                __fish_complete_path (commandline -ct)
            case ':folder'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c coppice -f -a '(__coppice_complete)'
`,
  powershell: `# Completions of coppice for PowerShell. Load them with: coppice completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName coppice -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  coppice ${completeVerb} @words "$wordToComplete" 2>$null | Where-Object { $_ -and -not $_.StartsWith(':') } | ForEach-Object {
    $word, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
  }
}
`,
}
