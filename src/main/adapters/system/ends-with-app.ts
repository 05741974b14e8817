import { readFileSync } from 'node:fs'
import { namesIn } from './look-at.ts'
import { endedRuns, makeTemporary, removeAtExit } from './made-folders.ts'
import { thisMaker } from './maker.ts'
import { afterSteps, canEnter } from './steps.ts'
import { systemProgram } from './system-programs.ts'

/** Names the run of the app that started a program. The program's own children inherit it. */
const markVariable = 'COPPICE_RUN'

let record: string | undefined

/**
 * Goes into the environment of every program that must not outlive the app. It is random. A temporary folder, which
 * only the person may read, says which process it stands for.
 */
export function appMark(): Readonly<Record<string, string>> {
  if (record === undefined) {
    record = makeTemporary('run')
    // While one of its programs lives, the next start must find it by the record.
    removeAtExit(record, () => carriersOf(new Set([thisMaker().run])).length === 0)
  }
  return { [markVariable]: thisMaker().run }
}

/**
 * A command line whose program ends with the app, even when the app is killed. Its process number stays the same.
 * Systems that cannot do that get the program as it is.
 */
export function endsWithApp(program: readonly string[]): readonly string[] {
  return canEnter() ? afterSteps([['end-with-parent']], program) : program
}

/** A reader of files that others wrote needs less. What takes more was given something that has no end. In bytes. */
const helperBytes = 512 * 1024 * 1024

/**
 * As `endsWithApp`, for a program that only reads for the app: it gets at most so much memory, and ends when it asks for more.
 * Without a kernel that counts it, its size is watched; Windows has neither. So whoever starts it also gives it limits of time
 * and of output, which hold everywhere.
 */
export function asHelper(
  program: readonly string[],
  {
    mostBytes = helperBytes,
    finishes = false,
  }: {
    readonly mostBytes?: number
    /** It goes on when the app ends. */
    readonly finishes?: boolean
  } = {},
): readonly string[] {
  if (!canEnter()) return process.platform === 'win32' ? program : watchedBySize(program, mostBytes)
  const limits = [
    ['limit', 'data-bytes', `${mostBytes}`],
    ['limit', 'core-bytes', '0'],
  ] as const
  return afterSteps([...(finishes ? [] : [['end-with-parent'] as const]), ...limits], program)
}

/** What holds these programs here, as a sentence for a person. */
export function describeHelpers(enters = canEnter(), platform: string = process.platform): string {
  const most = `${helperBytes / 1024 / 1024} MB, programs of git at 2 GB`
  if (enters) return `Programs that read for Coppice end at ${most}.`
  if (platform === 'win32') return 'Programs that read for Coppice are held to their time and output alone.'
  return `Programs that read for Coppice end above ${most}: their size is looked at twice a second.`
}

/**
 * A command line whose program is killed when it has grown too large. It has the process number of the command line, its
 * exit code and its standard streams. A limit of the shell does not do that: macOS ignores it.
 */
export function watchedBySize(program: readonly string[], mostBytes: number): readonly string[] {
  return [systemProgram('sh'), '-c', watchSize, 'sh', String(Math.floor(mostBytes / 1024)), ...program]
}

/** The watcher ends once another process, or one with another parent, has the number. It holds no stream open. */
const watchSize = `most=$1 above=$PPID; shift
(exec < /dev/null > /dev/null 2>&1
  while sleep 0.5; do
    set -- $(ps -o ppid= -o rss= -p $$)
    if [ "$1" != "$above" ]; then exit; fi
    if [ "$2" -gt "$most" ]; then kill -KILL $$; fi
  done) &
exec "$@"`

/**
 * A command line that kills its process group when its standard input ends. That is a pipe that the app never writes to.
 * The kernel does not tell of an app that was killed before a program asked for it; the end of the pipe cannot be missed.
 * Start it `detached`, so that the group is its own. Its program may write to descriptor 3.
 */
export function whileAppLives(program: readonly string[]): readonly string[] {
  return [systemProgram('bash'), '--norc', '--noprofile', '-c', watch, 'bash', ...program]
}

const watch = 'exec 4<&0; "$@" <&4 & held=$!; exec 3>&-; (read -r _ <&4; kill -KILL 0) & wait "$held"'

/**
 * Kills what programs of an app that has ended left running. Returns how many there were. Only Linux can find them. Call
 * it before the temporary folders of such an app are swept.
 */
export function endAbandoned(): number {
  const ended = new Set<number>()
  const runs = endedRuns()
  if (runs.size === 0) return 0
  // A program may start another one while the list is read, and after the sweep nobody would know that one.
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const found = carriersOf(runs).filter((pid) => kill(pid))
    for (const pid of found) ended.add(pid)
    if (found.length === 0) break
  }
  return ended.size
}

const mostPasses = 50

/** The processes that carry the mark of one of these runs, without this one. */
function carriersOf(runs: ReadonlySet<string>): readonly number[] {
  return namesIn('/proc').flatMap((name) => {
    const pid = Number(name)
    if (!/^\d+$/.test(name) || pid === process.pid) return []
    const run = variableOf(name, markVariable)
    return run !== undefined && runs.has(run) ? [pid] : []
  })
}

/**
 * Kills the children of this process that have this variable with this value in their environment. Only Linux can find
 * them.
 */
export function endChildren(variable: string, value: string): void {
  const threads = namesIn('/proc/self/task').map((thread) => readProcess(`self/task/${thread}`, 'children'))
  for (const pid of threads.join(' ').split(' ').filter(Boolean))
    if (variableOf(pid, variable) === value) kill(Number(pid))
}

/** False when it ended by itself, or belongs to somebody else. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/** Undefined for a process without the variable, and for those of other users. */
function variableOf(pid: string, variable: string): string | undefined {
  const variables = readProcess(pid, 'environ').split('\0')
  return variables.find((one) => one.startsWith(`${variable}=`))?.slice(variable.length + 1)
}

/** Empty when it has ended or belongs to another user. */
function readProcess(pid: string, file: 'environ' | 'children'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
