import type { SandboxState } from '#core/ports/shell.ts'

/** A file of the view with a copy of a program of Windows, which prints something and ends. */
export const windowsProgram = 'probe.exe'

/**
 * Opens for writing but never writes. Says a word for each thing that worked. WSL starts a program of Windows by a socket
 * that needs no network, so the script tries one.
 */
export const probeScript = `outside=$1 port=$2
try() { if eval "$2"; then echo "$1"; fi 2> /dev/null; }
try write '[ -f "$outside" ] && true >> "$outside"'
try read '[ -s "$outside" ] && true < "$outside"'
try drives '[ -n "$(ls -A /mnt)" ]'
try windows './${windowsProgram} > /dev/null'
if [ -n "$port" ]; then try network 'true < "/dev/tcp/127.0.0.1/$port"'; fi
try network '[ -n "$(ip route)" ]'
try unfiltered '! grep -q "^Seccomp:[[:space:]]*2" /proc/self/status'
true > probe && echo works`

const problems: Readonly<Record<string, string>> = {
  write: 'commands can write outside their view',
  read: 'commands can read files outside their view',
  drives: 'commands can see the drives of Windows',
  windows: 'commands can start programs of Windows',
  network: 'commands can reach services of this machine',
  unfiltered: 'no filter keeps them from the sockets between virtual machines',
}

export interface Probed {
  /** Null when nothing could run. */
  readonly output: string | null
  /** Whether a server of this machine was reached. */
  readonly isReached: boolean
  /** False when there was no program of Windows to try. */
  readonly hasTriedWindows: boolean
}

/** `name`: the Linux. */
export function judge({ output, isReached, hasTriedWindows }: Probed, name: string): SandboxState {
  const said = new Set((output ?? '').split('\n').filter(Boolean))
  if (!said.has('works'))
    return { state: 'off', reason: `bubblewrap does not work in WSL (${name}). Every command asks.` }
  if (isReached) said.add('network')
  const found = Object.entries(problems).flatMap(([word, problem]) => (said.has(word) ? [problem] : []))
  if (!hasTriedWindows) found.push('it is unknown whether commands can start programs of Windows')
  const where = `bubblewrap in WSL (${name})`
  if (found.length === 0)
    return {
      state: 'on',
      reason: `${where}: commands can write to their view alone, read that Linux, and reach no host.`,
    }
  return { state: 'partial', reason: `${where} keeps files apart, but ${found.join(', and ')}. Every command asks.` }
}
