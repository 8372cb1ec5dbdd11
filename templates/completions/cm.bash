_cm() {
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(command cm completions bash "--word=$2" -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
    # What ends so is only a part of a word.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _cm cm 2>/dev/null || complete -F _cm cm
