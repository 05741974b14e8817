import type { Writable } from 'node:stream'
import type { RunningCommand, ShownChange } from '#core/ports/shell.ts'
import { type FilePermissions, octal } from '#shared/model/tree-node.ts'
import { ordersDescriptor } from '../run-command.ts'
import { portsOfTree } from './listening-ports.ts'

/**
 * Runs beside a command that stays, as the same user in the same sandbox, and carries out what the app asks. So an order
 * can reach nothing that the command itself could not, even where the command left a link. `$$` is the command. An order
 * is four texts, each ended by a NUL, and then as many bytes of content as the fourth says.
 */
const helper = `trap '' TERM INT HUP
next() { IFS= read -r -d '' "$1" <&${ordersDescriptor}; }
while next order && next path && next detail && next size; do
  case $order in
    end) kill -TERM -- -$$ || kill -TERM $$ ;;
    folder) [ -d "./$path" ] && [ ! -L "./$path" ] || { rm -rf -- "./$path"; mkdir -p -- "./$path"; } ;;
    absent) rm -rf -- "./$path" ;;
    link) mkdir -p -- "$(dirname -- "./$path")"; rm -rf -- "./$path"; ln -s -- "$detail" "./$path" ;;
    file)
      mkdir -p -- "$(dirname -- "./$path")"
      if [ -L "./$path" ] || [ -d "./$path" ]; then rm -rf -- "./$path"; fi
      head -c "$size" <&${ordersDescriptor} > "./$path" || head -c "$size" <&${ordersDescriptor}
      chmod "$detail" "./$path" ;;
  esac
done`

/** A command line for a shell command that stays. The helper ends with it, as everything that the command starts. */
export function stayProgram(command: string): readonly string[] {
  const bash = ['bash', '--noprofile', '--norc', '-c']
  const both = `(${helper}) < /dev/null > /dev/null 2>&1 & exec ${bash.join(' ')} "$1" ${ordersDescriptor}<&-`
  return [...bash, both, 'bash', command]
}

/** `pid` is the process that holds the command and all it starts. */
export function holdOf(
  input: Writable,
  orders: Writable,
  pid: number,
  refusedHosts: RunningCommand['refusedHosts'],
): RunningCommand {
  const order = (name: string, path = '', detail = '', content: Uint8Array = new Uint8Array()) => {
    if (!orders.writable) return
    orders.write(`${name}\0${path}\0${detail}\0${content.byteLength}\0`)
    if (content.byteLength > 0) orders.write(content)
  }
  const show = (change: ShownChange) => {
    const path = change.path.slice(1)
    switch (change.kind) {
      case 'file':
        return order('file', path, modeWord(change), change.bytes)
      case 'symlink':
        return order('link', path, change.target)
      case 'directory':
        return order('folder', path)
      case 'absent':
        return order('absent', path)
    }
  }
  return {
    write(text) {
      if (input.writable) input.write(text)
    },
    askToEnd: () => order('end'),
    findPorts: () => portsOfTree(pid),
    refusedHosts,
    show(changes) {
      for (const change of changes) show(change)
    },
  }
}

/** As `chmod` takes it. A file keeps permissions that nobody chose. */
function modeWord({ executable, mode }: FilePermissions): string {
  return mode === undefined ? (executable ? '+x' : '-x') : octal(mode)
}
