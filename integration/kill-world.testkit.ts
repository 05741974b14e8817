import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { type ApiRequest, type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import { selectEntries } from '../src/main/adapters/sqlite/rows/entry-rows.ts'
import { startBank } from './kill-bank.testkit.ts'
import { isSummary, type KillPoint, obeying } from './kill-load.testkit.ts'
import type { Orders, Place } from './kill-process.testkit.ts'

/**
 * In memory where the system allows it. Commits spend most of their time waiting for the disk, and a killed process
 * does not lose what the system holds.
 */
const fast = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The reports of a process before it ended. */
export interface Said {
  readonly openedAfterMs: number | null
  readonly interrupts: readonly Interrupt[]
  /** The sequence of the last acknowledged entry. */
  readonly stored: number
  readonly finished: boolean
  readonly begunAt: number
  /** How long a finished load took, without the start of its process. */
  readonly tookMs: number
}

export interface StoredLine {
  readonly sequence: number
  readonly thread_id: string
  readonly at: number
  readonly type: string
  readonly body: string | Uint8Array
}

/** Milliseconds after the load began, and how long. */
export interface Sleep {
  readonly afterMs: number
  readonly forMs: number
}

/** A load in its own folder, with its own account at the bank. */
export interface Load extends Place {
  /** Payments made, by key. */
  readonly made: Map<string, number>
}

/** Everything outside the killed processes: a model, a bank, and folders. It serves one process after another. */
export interface KillWorld extends AsyncDisposable {
  newLoad(): Load
  /** Finishes one load, then works on another until the process dies or the load is done. */
  run(
    finish: Load | null,
    work: Load | null,
    kill: KillPoint | null,
    sleeps?: readonly Sleep[],
  ): Promise<{ readonly finish: Said; readonly work: Said; readonly errors: string }>
}

export async function openKillWorld(): Promise<KillWorld> {
  const root = mkdtempSync(join(fast, 'coppice-kill-'))
  let child: ChildProcess | undefined
  let kill: KillPoint | null = null
  let account = new Map<string, number>()
  const strike = () => child?.kill('SIGKILL')
  const model = await startModelServer(struck(() => kill, strike))
  const bank = await startBank(
    (key) => {
      if (kill?.at === 'effect' && kill.key === key && kill.side === 'before') return void strike()
      account.set(key, (account.get(key) ?? 0) + 1)
      if (kill?.at === 'effect' && kill.key === key) strike()
    },
    () => Object.fromEntries(account),
  )
  let loads = 0

  return {
    newLoad() {
      loads += 1
      const place = join(root, String(loads))
      const [data, folder] = [join(place, 'data'), join(place, 'folder')]
      for (const made of [data, folder]) mkdirSync(made, { recursive: true })
      writeFileSync(join(folder, 'kept.txt'), 'kept\n')
      const settings = { mcp_servers: { bank: { url: `${bank.url}mcp` } }, batch_concurrency: 2 }
      writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
      return { data, folder, made: new Map() }
    },
    async run(finish, work, next, sleeps = []) {
      kill = null
      const timers: NodeJS.Timeout[] = []
      const orders: Orders = {
        url: model.url,
        bank: bank.url,
        finish: finish && { data: finish.data, folder: finish.folder },
        work: work && { data: work.data, folder: work.folder, kill: next },
      }
      // `kill-process.testkit.ts` as one bundled file, because some hundred processes start it.
      const script = join(String(process.env.COPPICE_TEST_CHILDREN), 'kill-process.mjs')
      const limited = next?.at === 'memory' ? ['--max-old-space-size=160'] : []
      child = spawn(process.execPath, [...limited, script, JSON.stringify(orders)], {
        env: { ...process.env, NODE_COMPILE_CACHE: join(fast, 'coppice-kill-cache') },
      })
      let timer: NodeJS.Timeout | undefined
      let errors = ''
      child.stderr?.on('data', (chunk) => (errors += chunk))
      const said = { finish: newSaid(), work: newSaid() }
      let now: 'finish' | 'work' = finish ? 'finish' : 'work'
      account = (finish ?? work)?.made ?? account
      if (child.stdout) {
        for await (const line of createInterface({ input: child.stdout })) {
          const told = JSON.parse(line) as Told
          listen(said[now], told)
          if (told.kind === 'begun' && now === 'work') {
            kill = next
            said.work.begunAt = performance.now()
            if (next?.at === 'time') timer = setTimeout(strike, next.ms)
            for (const sleep of sleeps) timers.push(...sendToSleep(child, sleep))
          }
          if (told.kind === 'finished' && now === 'work') said.work.tookMs = performance.now() - said.work.begunAt
          if (told.kind === 'finished' && now === 'finish') {
            now = 'work'
            account = work?.made ?? account
          }
        }
      }
      // The moment may come after the process has ended, and the next process has its own.
      for (const each of [timer, ...timers]) clearTimeout(each)
      return { ...said, errors }
    },
    async [Symbol.asyncDispose]() {
      strike()
      await model[Symbol.asyncDispose]()
      await bank[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Stops the process as a machine does that sleeps. It wakes up even if it was asleep already. */
function sendToSleep(child: ChildProcess, { afterMs, forMs }: Sleep): readonly NodeJS.Timeout[] {
  return [setTimeout(() => child.kill('SIGSTOP'), afterMs), setTimeout(() => child.kill('SIGCONT'), afterMs + forMs)]
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
type Told =
  | { readonly kind: 'open'; readonly ms: number; readonly interrupts: readonly Interrupt[] }
  | { readonly kind: 'stored'; readonly sequence: number }
  | { readonly kind: 'begun' | 'finished' }

function newSaid(): Mutable<Said> {
  return { openedAfterMs: null, interrupts: [], stored: 0, finished: false, begunAt: 0, tookMs: 0 }
}

function listen(said: Mutable<Said>, told: Told): void {
  if (told.kind === 'open') Object.assign(said, { openedAfterMs: told.ms, interrupts: told.interrupts })
  if (told.kind === 'stored') said.stored = Math.max(said.stored, told.sequence)
  if (told.kind === 'finished') said.finished = true
}

/** The obeying model. It strikes when the request that `killOf` names arrives, or while it answers that request. */
function struck(killOf: () => KillPoint | null, strike: () => void): Scenario {
  return (request, seen) => {
    const kill = killOf()
    const answer = obeying(request, seen)
    if (kill?.at !== 'request' || nameOf(request) !== kill.of) return answer
    setTimeout(strike, kill.events === 0 ? 0 : 15)
    return { ...answer, fault: { kind: 'stall', afterEvents: kill.events } }
  }
}

const nameOf = (request: ApiRequest) => (isSummary(request) ? 'summary' : `${taskOf(request)} ${turnOf(request)}`)

/** The journal as it is on disk. Reads a copy, because opening the file itself could change it. */
export function storedJournal({ data }: Place): { readonly lines: readonly StoredLine[]; readonly integrity: string } {
  const project = readdirSync(join(data, 'projects')).map((id) => join(data, 'projects', id))[0] ?? ''
  const copy = mkdtempSync(join(fast, 'coppice-kill-copy-'))
  try {
    for (const name of ['project.db', 'project.db-wal']) {
      if (existsSync(join(project, name))) copyFileSync(join(project, name), join(copy, name))
    }
    const database = new Database(join(copy, 'project.db'))
    const integrity = String(database.pragma('integrity_check', { simple: true }))
    const isMade = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'entries'").get() !== undefined
    const lines = isMade ? database.prepare<[], StoredLine>(`${selectEntries} ORDER BY sequence`).all() : []
    database.close()
    return { lines, integrity }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** The files of the project folder by name. */
export function filesIn({ folder }: Place): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    names.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name), 'utf8')]).sort(),
  )
}
