# Completion of scanlens in fish. The program says what may follow; names of files are fish's own work.
function __scanlens_offered
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -e words[1]
    set -l lines ($program completion fish -- $words "$begun" 2>/dev/null)
    set -l files (string match -r '^files\t(.*)' -- $lines[1])
    printf '%s\n' $lines[2..]
    if set -q files[1]
        for path in (__fish_complete_path (string sub -s (math 1 + (string length -- "$files[2]")) -- "$begun"))
            printf '%s%s\n' "$files[2]" $path
        end
    end
end
complete -c scanlens -f -a '(__scanlens_offered)'
