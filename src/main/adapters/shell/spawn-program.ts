/** The text before the JSON on a line that declares a task. Only a command that knows the nonce can write it. */
export function declarationMarker(nonce: string): string {
  return `SUBAGENT_TASK:${nonce} `
}

/** The name of the program that declares tasks. */
export const spawnName = 'spawn_subagent'

/** Bytes of JSON on one line. A write to a pipe is not cut by other writers only up to 4,096 bytes. */
export const longestPiece = 3_000

/**
 * A program that prints one line, or numbered ones for a long task, so that every shell, language and tool can call it.
 * Bash alone does the work, because no other program is sure to exist. `-p` keeps it from everything that the caller
 * exports, such as `BASH_ENV`. The marker is written in two pieces, so that showing the file declares nothing.
 */
export function spawnProgram(nonce: string, bash: string): string {
  const marker = declarationMarker(nonce)
  const middle = marker.indexOf('_')
  return `#!${bash} -p
type='' id='' fields=''
while [ $# -gt 0 ]; do
  case "$1" in
    --type | --id)
      if [ $# -lt 2 ]; then echo "spawn_subagent: $1 needs a value" >&2; exit 2; fi
      if [ "$1" = --type ]; then type=$2; else id=$2; fi
      shift 2 ;;
    --) shift; break ;;
    -) break ;;
    -*) echo "spawn_subagent: unknown option $1" >&2; exit 2 ;;
    *) break ;;
  esac
done
if [ "$*" = - ]; then IFS= read -r -d '' text; set -- "\${text%$'\\n'}"; fi
if [ $# -ne 1 ] || [ -z "$1" ]; then
  echo 'usage: spawn_subagent [--type TYPE] [--id ID] "instruction", or - for standard input' >&2; exit 2
fi
LC_ALL=C
for name in description type id; do
  case $name in description) value=$1 ;; type) value=$type ;; *) value=$id ;; esac
  if [ -z "$value" ]; then continue; fi
  value=\${value//\\\\/\\\\\\\\}; value=\${value//\\"/\\\\\\"}
  value=\${value//$'\\n'/\\\\n}; value=\${value//$'\\r'/\\\\r}; value=\${value//$'\\t'/\\\\t}
  if [[ $value == *[[:cntrl:]]* ]]; then
    for code in {1..31} 127; do
      printf -v char '%03o' $code; printf -v char "\\\\$char"
      if [[ $value != *"$char"* ]]; then continue; fi
      printf -v escaped '\\\\u%04x' $code; value=\${value//"$char"/"$escaped"}
    done
  fi
  fields+=",\\"$name\\":\\"$value\\""
done
line="{\${fields#,}}"
pieces=$(((\${#line} + ${longestPiece - 1}) / ${longestPiece})) task=$$-$RANDOM$RANDOM
for ((piece = 1; piece <= pieces; piece++)); do
  number=''
  if [ $pieces -gt 1 ]; then number="$task $piece/$pieces "; fi
  printf '%s%s%s%s\\n' '${marker.slice(0, middle)}' '${marker.slice(middle)}' "$number" \\
    "\${line:(piece - 1) * ${longestPiece}:${longestPiece}}"
done
`
}
