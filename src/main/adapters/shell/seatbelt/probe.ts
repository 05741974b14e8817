import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SandboxState } from '#core/ports/shell.ts'
import { realOf } from '../credential-places.ts'
import { listenOnLoopback } from '../loopback-server.ts'
import type { ReadablePlaces } from '../readable-places.ts'
import { writeProfile } from './profile.ts'
import { rulesFor } from './rules.ts'

export interface ProbeInput {
  /** Path of `sandbox-exec`. */
  readonly program: string
  /** An empty folder for the probe. */
  readonly folder: string
  readonly home: string
  readonly places: ReadablePlaces
}

/**
 * Tries as a command what the profile forbids. It opens for writing but never writes, and says a word for each thing that
 * worked. The bash of macOS is version 3.2.
 */
const attempts = `outside=$1 home=$2 port=$3 app=$4
try() { if eval "$2"; then echo "$1"; fi 2> /dev/null; }
try write 'true >> "$outside"'
try read 'true < "$outside"'
try read 'true < "/System/Volumes/Data$outside"'
try home '[ -n "$(ls -A "$home")" ]'
try keychain 'security list-keychains > /dev/null'
try clipboard 'pbpaste > /dev/null'
try signal 'kill -0 "$app"'
if [ -n "$port" ]; then try network 'true < "/dev/tcp/127.0.0.1/$port"'; fi
true > probe && [ -r /usr/bin/true ] && echo works`

const problems: Readonly<Record<string, string>> = {
  write: 'commands can write outside their view',
  read: 'commands can read files outside their view',
  home: 'commands can read your home folder',
  keychain: 'commands can look at your keychain',
  clipboard: 'commands can read your clipboard',
  signal: 'commands can end programs of yours',
  network: 'commands can reach services of this machine',
}

/** Runs the attempts once. A sandbox that forbids too little is *partial*, and one in which nothing runs is *off*. */
export async function probeSeatbelt({ program, folder, home, places }: ProbeInput): Promise<SandboxState> {
  const [view, outside] = [join(folder, 'view'), join(folder, 'outside')]
  await mkdir(view, { recursive: true })
  await writeFile(outside, 'seen')
  await using server = await listenOnLoopback()
  const mount = { folder: view, home: view, temporary: view, places: [] }
  const profile = writeProfile(rulesFor({ mount, rootFolder: null, given: null, places, hosts: [], proxyPort: null }))
  const words = [realOf(outside), home, server.port, String(process.pid)]
  const script = ['/bin/bash', '--noprofile', '--norc', '-c', attempts, 'bash', ...words]
  return judge(await run(program, ['-p', profile, ...script], view), server.isReached())
}

interface Ended {
  readonly output: string
  readonly error: string
}

export function judge({ output, error }: Ended, isReached: boolean): SandboxState {
  const said = new Set(output.split('\n').filter(Boolean))
  if (!said.has('works')) {
    const why = error.trim().split('\n')[0]?.slice(0, 200) || 'a command in it could not write to its view'
    return { state: 'off', reason: `Seatbelt does not work here (${why}). Every command asks.` }
  }
  if (isReached) said.add('network')
  const found = Object.entries(problems).flatMap(([word, problem]) => (said.has(word) ? [problem] : []))
  if (found.length === 0) return { state: 'on', reason: onReason }
  return { state: 'partial', reason: `Seatbelt is there, but ${found.join(', and ')}. Every command asks.` }
}

const onReason =
  'Seatbelt: commands can write to their view alone, read system and tool chains, and reach only hosts you grant.'

function run(program: string, parameters: readonly string[], cwd: string): Promise<Ended> {
  const options = { cwd, timeout: 20_000, env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: cwd, TMPDIR: cwd } }
  return new Promise((resolve) => {
    execFile(program, [...parameters], options, (error, output, errors) =>
      resolve({ output, error: errors || (error?.message ?? '') }),
    )
  })
}
