function __cm_complete
    set -l word (commandline --cut-at-cursor --current-token)
    set -l words (commandline --cut-at-cursor --current-process --tokenize)
    command cm completions fish "--word=$word" -- $words 2>/dev/null </dev/null
end
complete --command cm --no-files --keep-order --arguments '(__cm_complete)'
