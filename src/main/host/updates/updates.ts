import { existsSync, writeFileSync } from 'node:fs'
import { readBounded } from '#adapters/system/read-bounded.ts'
import { assertNever } from '#shared/base/assert-never.ts'
import type { UpdateState, UpdateView } from '#shared/contract/views/updates.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { foldUpdate, mayAsk, type UpdateEvent } from './fold-update.ts'
import { type PackageOwner, type Updater, UpdaterError } from './updater.ts'

/** Looks for new versions, keeps what a person sees of them, and installs when no agent works. */
export interface Updates extends Disposable {
  view(): UpdateView
  /** Calls `listener` after every change. */
  listen(listener: () => void): Disposable
  /** Resolves when the check and the download have ended. What went wrong is in the view. */
  check(): Promise<void>
  /** Throws a refusal when no version is downloaded. */
  install(): Promise<void>
  wait(): void
  switch(on: boolean): void
}

interface UpdateOptions {
  /** Null where another program brings new versions. */
  readonly updater: Updater | null
  readonly owner: PackageOwner
  /** Remembers the last check. Absolute path. */
  readonly stateFile: string
  readonly isOn: () => boolean
  readonly setOn: (on: boolean) => void
  /** Agents that work or wait for their turn, in all open projects. */
  readonly working: () => number
  readonly now: () => number
  /** Calls `act` again and again until it is disposed. */
  readonly every: (milliseconds: number, act: () => void) => Disposable
  readonly log: (problem: string, error: unknown) => void
}

const day = 24 * 60 * 60 * 1000
const lookAt = { start: 30_000, updates: 60 * 60 * 1000, agents: 1_000 }

export function createUpdates(options: UpdateOptions): Updates {
  const { updater, owner, working, every, log } = options
  const listeners = new Set<() => void>()
  const memory = readMemory(options.stateFile)
  let state: UpdateState = updater ? { kind: 'current', checkedAt: memory.checkedAt } : managedBy(owner)
  let waiting: Disposable | null = null
  let { checkedAt, triedAt } = memory

  function take(event: UpdateEvent): UpdateState {
    const next = foldUpdate(state, event)
    if (next === state) return state
    state = next
    tell()
    return state
  }

  function tell(): void {
    for (const listener of [...listeners]) listener()
  }

  async function check(): Promise<void> {
    if (!updater || !mayAsk(state)) return
    take({ type: 'asked' })
    // A check that fails counts too, so that a broken network or release is not asked for again each hour.
    triedAt = options.now()
    saveMemory(options, { checkedAt, triedAt })
    try {
      const found = await updater.check()
      checkedAt = options.now()
      saveMemory(options, { checkedAt, triedAt })
      if (!found) return void take({ type: 'none', at: options.now() })
      take({ type: 'found', found })
      await downloadWhole(updater, (share) => take({ type: 'received', share }))
      take({ type: 'downloaded' })
    } catch (error) {
      fail(error)
    }
  }

  function fail(error: unknown): void {
    const known = error instanceof UpdaterError ? error : new UpdaterError('other', String(error))
    log('The update did not come', error)
    take({ type: 'failed', problem: known.problem, detail: known.message })
  }

  /** Installs now, or looks again until no agent works. */
  async function proceed(): Promise<void> {
    if (!updater || take({ type: 'wanted', working: working() }).kind !== 'installing') return
    waiting?.[Symbol.dispose]()
    waiting = null
    await updater.install().catch(fail)
  }

  function checkDaily(): void {
    if (options.isOn() && (triedAt === null || options.now() - triedAt >= day)) void check()
  }

  let isStarted = false
  const daily = every(lookAt.updates, checkDaily)
  // Most starts are shorter than an hour, and the first check must not slow the start down.
  const first: Disposable = every(lookAt.start, () => {
    if (!isStarted) checkDaily()
    isStarted = true
  })
  return {
    view: () => ({ state, isAutomatic: updater !== null && options.isOn() }),
    listen(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    check,
    async install() {
      if (state.kind === 'waiting' || state.kind === 'installing') return
      if (state.kind !== 'ready')
        throw new WireError('REFUSED', 'No new version is downloaded. Check for updates first.')
      await proceed()
      if (isWaiting(state)) waiting ??= every(lookAt.agents, () => void proceed())
    },
    wait() {
      waiting?.[Symbol.dispose]()
      waiting = null
      take({ type: 'unwanted' })
    },
    switch(on) {
      options.setOn(on)
      tell()
    },
    [Symbol.dispose]() {
      daily[Symbol.dispose]()
      first[Symbol.dispose]()
      waiting?.[Symbol.dispose]()
    },
  }
}

/** A function, because the compiler does not see that a call changes the state. */
function isWaiting({ kind }: UpdateState): boolean {
  return kind === 'waiting'
}

/** A file that came damaged was thrown away. It is fetched again once. */
async function downloadWhole(updater: Updater, onShare: (share: number) => void): Promise<void> {
  try {
    await updater.download(onShare)
  } catch (error) {
    if (!(error instanceof UpdaterError) || error.problem !== 'damaged') throw error
    await updater.download(onShare)
  }
}

function managedBy(by: PackageOwner): UpdateState {
  return { kind: 'managed', by, command: commandOf(by) }
}

/** What a person types to get the newest version from the program that brought this one. */
function commandOf(owner: PackageOwner): string {
  switch (owner) {
    case 'npm':
      return 'npm i -g coppice@latest'
    case 'deb':
      return 'sudo apt install ./Coppice-*.deb'
    case 'rpm':
      return 'sudo dnf install ./Coppice-*.rpm'
    case 'source':
      return 'git pull && npm ci && npm run build'
    default:
      return assertNever(owner)
  }
}

/** Milliseconds since the Unix epoch; null for never. A check that failed was tried, and nothing was learned by it. */
interface CheckMemory {
  readonly checkedAt: number | null
  readonly triedAt: number | null
}

/** A missing or damaged file means that nobody looked yet, and costs one check. */
function readMemory(file: string): CheckMemory {
  try {
    const kept: unknown = existsSync(file) ? JSON.parse(readBounded(file).toString('utf8')) : {}
    const checkedAt = timeIn(kept, 'checkedAt')
    return { checkedAt, triedAt: timeIn(kept, 'triedAt') ?? checkedAt }
  } catch {
    return { checkedAt: null, triedAt: null }
  }
}

function timeIn(kept: unknown, name: keyof CheckMemory): number | null {
  const time = (kept as Partial<Record<string, unknown>> | null)?.[name]
  return typeof time === 'number' && Number.isFinite(time) ? time : null
}

function saveMemory({ stateFile, log }: UpdateOptions, memory: CheckMemory): void {
  try {
    writeFileSync(stateFile, JSON.stringify(memory), { mode: 0o600 })
  } catch (error) {
    log('The time of the check was not saved', error)
  }
}
