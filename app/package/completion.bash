# Completion of scanlens in bash. The program says what may follow; names of files are bash's own work.
_scanlens() {
  local LC_ALL=C rest=${COMP_LINE:0:COMP_POINT} piece begun cut text word i
  local -a words=() lines=()
  # Readline cuts words at : and =, where ours go on: what has no blank before it belongs to the word before.
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    text=${rest#"${rest%%[![:space:]]*}"}
    piece=${COMP_WORDS[i]}
    ((i < COMP_CWORD)) || piece=$text
    if ((i == 0)) || [[ $text != "$rest" ]]; then words+=("$piece"); else words[-1]+=$piece; fi
    rest=${text#"$piece"}
  done
  begun=${words[-1]}
  cut=${begun%"${begun##*[:=]}"}
  if [[ $begun == [\"\']* ]]; then  # no word is cut behind a quote
    begun=${begun:1}
    cut=
  fi
  mapfile -t lines < <("${words[0]/#\~/$HOME}" completion bash -- "${words[@]:1:${#words[@]}-2}" "$begun" 2>/dev/null)
  COMPREPLY=()
  for word in "${lines[@]:1}"; do
    word=${word%%$'\t'*}
    [[ $word == "$begun"* ]] || continue
    COMPREPLY+=("${word#"$cut"}")
    [[ $word != *[:=] ]] || compopt -o nospace
  done
  [[ ${lines[0]} != files* ]] || compopt -o default
}
complete -F _scanlens scanlens
