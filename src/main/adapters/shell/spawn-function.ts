/** The text before the JSON on a line that declares a task. Only a command that knows the nonce can write it. */
export function declarationMarker(nonce: string): string {
  return `SUBAGENT_TASK:${nonce} `
}

/**
 * An exported function in Bash's own form, so that scripts which the command starts have it too. It only prints a line.
 * Bash itself escapes the text, because no other program is sure to exist.
 */
export function spawnFunction(nonce: string): Readonly<Record<string, string>> {
  const body = `() {
  local type='' id='' fields='' name value out char i
  while [ $# -gt 0 ]; do
    case "$1" in
      --type | --id)
        if [ $# -lt 2 ]; then echo "spawn_subagent: $1 needs a value" >&2; return 2; fi
        if [ "$1" = --type ]; then type=$2; else id=$2; fi
        shift 2 ;;
      --) shift; break ;;
      -*) echo "spawn_subagent: unknown option $1" >&2; return 2 ;;
      *) break ;;
    esac
  done
  if [ $# -ne 1 ] || [ -z "$1" ]; then
    echo 'usage: spawn_subagent [--type TYPE] [--id ID] "instruction"' >&2; return 2
  fi
  local LC_ALL=C
  for name in description type id; do
    case $name in description) value=$1 ;; type) value=$type ;; *) value=$id ;; esac
    if [ -z "$value" ]; then continue; fi
    value=\${value//\\\\/\\\\\\\\}; value=\${value//\\"/\\\\\\"}
    value=\${value//$'\\n'/\\\\n}; value=\${value//$'\\r'/\\\\r}; value=\${value//$'\\t'/\\\\t}
    if [[ $value == *[[:cntrl:]]* ]]; then
      out=''
      for ((i = 0; i < \${#value}; i++)); do
        char=\${value:i:1}
        if [[ $char == [[:cntrl:]] ]]; then printf -v char '\\\\u%04x' "'$char"; fi
        out+=$char
      done
      value=$out
    fi
    fields+=",\\"$name\\":\\"$value\\""
  done
  printf '${declarationMarker(nonce)}{%s}\\n' "\${fields#,}"
}`
  return { 'BASH_FUNC_spawn_subagent%%': body }
}
