/**
 * The completion scripts. Each hands the words of the line to the program itself and shows the
 * answer; what can be completed is thus known in one place. PROGRAM, IDENTIFIER and ASK are
 * filled in.
 *
 * @module
 */

/** Shells that there is a script for. */
export type Shell = "bash" | "fish" | "powershell" | "zsh";

/** For each shell: how a user loads the script, and the script. */
export const SHELL_SCRIPTS: Readonly<Record<Shell, { load: string; script: string }>> = {
  bash: {
    load: "source <(PROGRAM completion bash)",
    script: `# bash completion for PROGRAM

__IDENTIFIER_complete() {
    # COMP_WORDS is split at "=" and ":"; the line itself is not.
    local line="\${COMP_LINE:0:COMP_POINT}"
    local -a words lines
    read -ra words <<<"$line"
    [[ "$line" == *[[:space:]] ]] && words+=("")
    local current="\${words[-1]}"
    mapfile -t lines < <("\${words[0]}" ASK "\${words[@]:1}" 2>/dev/null)
    [[ \${#lines[@]} -eq 0 ]] && return
    local directive="\${lines[-1]}"
    unset 'lines[-1]'

    # Readline replaces what follows the last word break, so the part before it is taken off.
    local prefix=""
    [[ "$current" == *=* && "$COMP_WORDBREAKS" == *=* ]] && prefix="\${current%%=*}="
    COMPREPLY=()
    local entry word description
    for entry in "\${lines[@]}"; do
        word="\${entry%%$'\\t'*}"
        description="\${entry#*$'\\t'}"
        word="\${word#"$prefix"}"
        if [[ "$entry" == *$'\\t'?* && \${#lines[@]} -gt 1 && \${COMP_TYPE:-9} -eq 63 ]]; then
            COMPREPLY+=("$word  ($description)")
        else
            COMPREPLY+=("$word")
        fi
    done
    case "$directive" in
        :file) mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "\${current#"$prefix"}") ;;
        :directory) mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "\${current#"$prefix"}") ;;
    esac
}

complete -F __IDENTIFIER_complete PROGRAM
`,
  },
  fish: {
    load: "PROGRAM completion fish | source",
    script: `# fish completion for PROGRAM

function __IDENTIFIER_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] ASK $words[2..-1] "$current" 2>/dev/null)
    test (count $lines) -eq 0; and return
    set -l directive $lines[-1]
    for line in $lines
        string match -q ':*' -- $line; or echo $line
    end
    switch $directive
        case ':file'
            __fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)
        case ':directory'
            __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $current)
    end
end

complete -c PROGRAM -f -a '(__IDENTIFIER_complete)'
`,
  },
  powershell: {
    load: "PROGRAM completion powershell | Out-String | Invoke-Expression",
    script: `# powershell completion for PROGRAM

Register-ArgumentCompleter -Native -CommandName 'PROGRAM' -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)
    $words = @($CommandAst.CommandElements |
        Where-Object { $_.Extent.StartOffset -lt $CursorPosition } |
        ForEach-Object { $_.Extent.Text })
    $program = $words[0]
    $rest = @($words | Select-Object -Skip 1)
    if ($WordToComplete -eq '') {
        # Older shells drop empty arguments unless they are quoted twice.
        if ($PSVersionTable.PSVersion -lt [version]'7.3.0') { $rest += '""' } else { $rest += '' }
    }
    $lines = @(& $program ASK @rest 2>$null)
    if ($lines.Count -eq 0) { return }
    $directive = $lines[-1]
    $lines | Select-Object -SkipLast 1 | ForEach-Object {
        $word, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $description)
    }
    if ($directive -eq ':file' -or $directive -eq ':directory') {
        $start = $WordToComplete -replace '^--[^=]*=', ''
        Get-ChildItem -Path "$start*" -Directory:($directive -eq ':directory') |
            ForEach-Object { $_.Name }
    }
}
`,
  },
  zsh: {
    load: "source <(PROGRAM completion zsh)",
    script: `#compdef PROGRAM
# zsh completion for PROGRAM

__IDENTIFIER_complete() {
    local -a lines described
    local entry word description directive
    lines=("\${(@f)$("\${words[1]}" ASK "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
    (( \${#lines} )) || return 1
    directive="\${lines[-1]}"
    for entry in "\${(@)lines[1,-2]}"; do
        word="\${entry%%$'\\t'*}"
        word="\${word//:/\\\\:}"
        description=""
        [[ "$entry" == *$'\\t'* ]] && description="\${entry#*$'\\t'}"
        if [[ -n "$description" ]]; then
            described+=("$word:$description")
        else
            described+=("$word")
        fi
    done
    (( \${#described} )) && _describe -V 'completions' described
    case "$directive" in
        :file) compset -P '--*='; _files ;;
        :directory) compset -P '--*='; _files -/ ;;
    esac
}

# Sourced, the function has to be registered; autoloaded from fpath, it is called.
if [[ "\${funcstack[1]}" == "_PROGRAM" ]]; then
    __IDENTIFIER_complete "$@"
else
    compdef __IDENTIFIER_complete PROGRAM
fi
`,
  },
};
