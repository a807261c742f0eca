/**
 * The completion scripts. Each passes the words of the line to the program and shows its
 * candidates. PROGRAM, IDENTIFIER and ASK are placeholders.
 *
 * @module
 */

/** Shells with a script. */
export type Shell = "bash" | "fish" | "powershell" | "zsh";

/** For each shell, the instructions for loading the script, and the script. */
export const SHELL_SCRIPTS: Readonly<Record<Shell, { load: string; script: string }>> = {
  bash: {
    load: "source <(PROGRAM completion bash)",
    script: `# bash completion for PROGRAM

__IDENTIFIER_complete() {
    # COMP_WORDS is split at "=" and ":", and has the quotes in it; so the line itself is read.
    local line="\${COMP_LINE:0:COMP_POINT}" at char quote="" word="" begun=""
    local -a words=() lines
    for (( at = 0; at < \${#line}; at++ )); do
        char="\${line:at:1}"
        if [[ -n "$quote" && "$char" == "$quote" ]]; then
            quote=""
        elif [[ "$char" == \\\\ && "$quote" != "'" ]]; then
            at=$(( at + 1 )) word+="\${line:at:1}" begun=1
        elif [[ -n "$quote" ]]; then
            word+="$char"
        elif [[ "$char" == [\\"\\'] ]]; then
            quote="$char" begun=1
        elif [[ "$char" == [[:space:]] ]]; then
            [[ -n "$begun" ]] && words+=("$word")
            word="" begun=""
        else
            word+="$char" begun=1
        fi
    done
    words+=("$word")
    local current="\${words[-1]}"
    mapfile -t lines < <("\${words[0]}" ASK "\${words[@]:1}" 2>/dev/null)
    [[ \${#lines[@]} -eq 0 ]] && return
    local directive="\${lines[-1]}"
    unset 'lines[-1]'

    # Readline replaces what follows the last word break, so the part before it is taken off.
    local prefix=""
    [[ "$current" == *=* && "$COMP_WORDBREAKS" == *=* ]] && prefix="\${current%%=*}="
    local entry description width=0
    for entry in "\${lines[@]}"; do
        word="\${entry%%$'\\t'*}"
        word="\${word#"$prefix"}"
        (( \${#word} > width )) && width=\${#word}
    done
    COMPREPLY=()
    for entry in "\${lines[@]}"; do
        word="\${entry%%$'\\t'*}"
        word="\${word#"$prefix"}"
        # Descriptions are for lists that are looked at, and must not be put into the line. The
        # type says what is asked for: ?, ! and @ stand for the ways to show a list.
        if [[ "$entry" == *$'\\t'?* && \${#lines[@]} -gt 1 && \${COMP_TYPE:-9} =~ ^(33|63|64)$ ]]; then
            printf -v description '%-*s  (%s)' "$width" "$word" "\${entry#*$'\\t'}"
            (( \${#description} >= \${COLUMNS:-80} )) &&
                description="\${description:0:\${COLUMNS:-80}-5}...)"
            COMPREPLY+=("$description")
        else
            COMPREPLY+=("$word")
        fi
    done
    case "$directive" in
        :file|:directory)
            # Readline then escapes spaces and ends folders with a slash.
            compopt -o filenames 2>/dev/null
            local kind=-f
            [[ "$directive" == :directory ]] && kind=-d
            mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen "$kind" -- "\${current#"$prefix"}")
            ;;
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
    # What is offered replaces the whole word, so that a flag before the path is given back.
    set -l flag (string match -r '^--[^=]*=' -- $current)
    set -l path (string replace -r '^--[^=]*=' '' -- $current | string unescape)
    switch $directive
        case ':file'
            for each in (__fish_complete_path "$path")
                echo "$flag$each"
            end
        case ':directory'
            for each in (__fish_complete_directories "$path")
                echo "$flag$each"
            end
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
    if ($directive -ne ':file' -and $directive -ne ':directory') { return }
    # What is offered replaces the whole word, so that a flag before the path is given back.
    $flag = if ($WordToComplete -match '^--[^=]*=') { $Matches[0] } else { '' }
    $path = $WordToComplete.Substring($flag.Length)
    [System.Management.Automation.CompletionCompleters]::CompleteFilename($path) |
        Where-Object { $directive -eq ':file' -or $_.ResultType -eq 'ProviderContainer' } |
        ForEach-Object {
            [System.Management.Automation.CompletionResult]::new($flag + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
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
    lines=("\${(@f)$("\${(Q)words[1]}" ASK "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
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
