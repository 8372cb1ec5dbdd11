#compdef cm
_cm() {
    local value about
    local -a values shown parts
    while IFS=$'\t' read -r value about; do
        # What ends so is only a part of a word.
        if [[ $value == *[=/] ]]; then
            parts+=("$value")
        else
            values+=("$value")
            shown+=("$value${about:+  -- $about}")
        fi
    done < <(command cm completions zsh "--word=$QIPREFIX$PREFIX" -- "${(@)words[1,CURRENT-1]}" 2>/dev/null </dev/null)
    local matcher='m:{[:lower:][:upper:]}={[:upper:][:lower:]}'
    compadd -V cm-parts -M "$matcher" -S '' -a parts
    compadd -V cm-values -M "$matcher" -l -d shown -a values
    (( $#values + $#parts ))
}
if [[ $funcstack[1] == _cm ]]; then
    _cm "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _cm cm
fi
