import type { BrowserWindow, MessageBoxOptions } from 'electron'
import type { Electron } from '../electron.ts'
import type { AppWindows } from '../windows/app-windows.ts'

/** `leaving`: the person wants to quit when no agent works. `closing`: everything is being stored. */
type LeaveState = 'here' | 'asking' | 'leaving' | 'closing' | 'gone'

interface LeaveOptions {
  readonly windows: Pick<AppWindows, 'all' | 'front'>
  /** Agents that work or wait for their turn. */
  readonly working: () => number
  /** Stops and stores all agents. */
  readonly store: () => Promise<void>
  /** Calls `act` again and again until it is disposed. */
  readonly every: (milliseconds: number, act: () => void) => Disposable
  readonly log: (problem: string, error: unknown) => void
}

export interface Leaving {
  /** The person quits. Asks when agents work. */
  quit(): Promise<void>
  /** The system ends, or the person already answered: stops and stores without a question. */
  quitNow(): Promise<void>
  /** Takes back that the app quits when no agent works. */
  stay(): void
  /** Stores everything and lets the app end without another question, as for an update. */
  storeAll(): Promise<void>
  /** True while the app must not end by itself. */
  isHere(): boolean
}

const lookMs = 1_000

/** Decides how the app ends. Whatever way it ends, nothing that an agent finished is lost. */
export function createLeaving(electron: Pick<Electron, 'app' | 'dialog'>, options: LeaveOptions): Leaving {
  const { windows, working, store, every, log } = options
  let state: LeaveState = 'here'
  let looking: Disposable | null = null

  function tell(count: number | null): void {
    for (const window of windows.all()) window.send({ type: 'leaving', working: count })
  }

  function stopLooking(): void {
    looking?.[Symbol.dispose]()
    looking = null
  }

  async function storeAll(): Promise<void> {
    stopLooking()
    state = 'closing'
    await store().catch((error: unknown) => log('Not everything was stored before the end', error))
    state = 'gone'
  }

  async function quitNow(): Promise<void> {
    if (state === 'closing' || state === 'gone') return
    await storeAll()
    electron.app.quit()
  }

  function look(): void {
    const count = working()
    if (count === 0) void quitNow()
    else tell(count)
  }

  async function quit(): Promise<void> {
    if (state === 'asking' || state === 'closing' || state === 'gone') return
    const before = state
    const count = working()
    if (count === 0) return quitNow()
    state = 'asking'
    const answer = await ask(electron, windows, count)
    if (answer === 'stop') return quitNow()
    if (answer === 'cancel') {
      state = before
      return
    }
    state = 'leaving'
    looking ??= every(lookMs, look)
    look()
  }

  return {
    quit,
    quitNow,
    storeAll,
    stay() {
      if (state !== 'leaving') return
      stopLooking()
      state = 'here'
      tell(null)
    },
    isHere: () => state !== 'gone',
  }
}

const answers = ['finish', 'stop', 'cancel'] as const

async function ask(
  { dialog }: Pick<Electron, 'dialog'>,
  windows: Pick<AppWindows, 'front'>,
  count: number,
): Promise<(typeof answers)[number]> {
  const front = windows.front()?.browserWindow
  const question = quitQuestion(count)
  const { response } = await (front ? dialog.showMessageBox(front, question) : dialog.showMessageBox(question))
  return answers[response] ?? 'cancel'
}

/** The question before the app ends with agents at work. Its buttons are in the order of `answers`. */
export function quitQuestion(count: number): MessageBoxOptions {
  return {
    type: 'question',
    message: count === 1 ? 'An agent is at work.' : `${count} agents are at work.`,
    detail:
      'Coppice can quit by itself once they are done. If you stop them now, everything up to their last step is kept, and you can continue them after the next start.',
    buttons: ['Let them finish', 'Stop and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  }
}

/** Connects the ways in which a person or the system ends the app. Closing the last window quits, except on macOS. */
export function followEnds(
  { app, powerMonitor }: Pick<Electron, 'app' | 'powerMonitor'>,
  platform: NodeJS.Platform,
  leaving: Leaving,
): void {
  app.on('before-quit', (event) => {
    if (!leaving.isHere()) return
    event.preventDefault()
    void leaving.quit()
  })
  app.on('window-all-closed', () => {
    if (platform !== 'darwin') app.quit()
  })
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    if (!leaving.isHere()) return
    // The system waits until the app has stored everything and quits by itself.
    event?.preventDefault()
    void leaving.quitNow()
  })
}

/** What closing one window means. `isLast` is asked at that moment. */
export function followClosing(
  window: BrowserWindow,
  platform: NodeJS.Platform,
  leaving: Leaving,
  isLast: () => boolean,
): void {
  window.on('close', (event) => {
    // The question is asked while there is still a window to show it in.
    if (platform === 'darwin' || !leaving.isHere() || !isLast()) return
    event.preventDefault()
    void leaving.quit()
  })
  window.on('query-session-end', (event) => {
    if (!leaving.isHere()) return
    // Windows waits while the app stores, and the app quits by itself then.
    event.preventDefault()
    void leaving.quitNow()
  })
  window.on('session-end', () => void leaving.quitNow())
}
