#compdef scanlens
# Completion of scanlens in zsh. The program says what may follow; names of files are zsh's own work.
_scanlens() {
  local line word
  local -a lines whole begun before
  (( CURRENT < 3 )) || before=("${(@Q)words[2,CURRENT-1]}")
  lines=("${(@f)$(${(Q)~words[1]} completion zsh -- $before "${(Q)PREFIX}" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    word=${line%%$'\t'*}
    line=${word//:/\\:}:${line#*$'\t'}
    if [[ $word == *[:=] ]]; then begun+=("$line"); else whole+=("$line"); fi
  done
  local -i failed=1
  (( ! $#whole )) || { _describe -t words scanlens whole && failed=0 }
  (( ! $#begun )) || { _describe -t words scanlens begun -S '' && failed=0 }
  if [[ $lines[1] == files* ]]; then
    compset -P "${(b)lines[1]#files$'\t'}"
    _files && failed=0
  fi
  return failed
}
if [[ $funcstack[1] == _scanlens ]]; then _scanlens "$@"; else compdef _scanlens scanlens; fi
