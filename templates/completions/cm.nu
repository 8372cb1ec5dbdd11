let cm_other_completer = $env.config.completions.external.completer?
$env.config.completions.external.enable = true
$env.config.completions.external.completer = {|words|
    if ($words | first) == "cm" {
        ^cm completions nushell $"--word=($words | last)" -- ...($words | drop) | from json
    } else if $cm_other_completer != null {
        do $cm_other_completer $words
    }
}
