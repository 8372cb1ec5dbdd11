set edit:completion:arg-completer[cm] = {|@words|
    var before = $words[..-1]
    e:cm completions elvish '--word='$words[-1] -- $@before 2>/dev/null </dev/null | from-lines
}
