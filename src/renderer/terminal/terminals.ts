import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BranchId, ProjectId } from '#shared/model/ids.ts'
import type { TerminalRecord } from '#shared/model/process.ts'
import type { Client } from '../state/connection/connection.ts'
import { type Refusal, refusalOf } from '../state/connection/refusal.ts'
import { createScreen, type Screen } from './screen.ts'

type ShellState =
  | { readonly kind: 'running' }
  /** `changed` lists the files of a branch's mount that wait to be kept or dropped. */
  | { readonly kind: 'ended'; readonly changed: readonly string[] }
  | { readonly kind: 'failed'; readonly refusal: Refusal }

export interface TerminalTab {
  readonly id: string
  /** Counts from 1, for the tab's name. */
  readonly number: number
  /** The branch whose mount the shell is in; null for the project's folder. */
  readonly branchId: BranchId | null
  readonly shell: ShellState
  readonly screen: Screen
}

interface TerminalsState {
  readonly tabs: readonly TerminalTab[]
  /** The id of the selected tab; `outputTab` for the output of agents' commands. */
  readonly selected: string
  /** The address of a clicked link that waits for confirmation; null for none. */
  readonly link: string | null
}

export const outputTab = 'output'

/** A person's shells in one project. They live as long as the page, even while they are hidden. */
export interface Terminals {
  readonly store: StoreApi<TerminalsState>
  /** `typed` stands at the prompt of the shell, for the person to run or to change. */
  readonly open: (branchId: BranchId | null, typed?: string) => void
  /**
   * Has a tab for each ended terminal that waits for a decision, also for those of an earlier page or start. A tab goes
   * when its terminal was decided elsewhere.
   */
  readonly showWaiting: (waiting: readonly TerminalRecord[]) => void
  readonly select: (id: string) => void
  /** Ends the shell and closes its tab. A tab with changes to a branch stays until they are kept or dropped. */
  readonly close: (id: string) => Promise<void>
  readonly keep: (id: string) => Promise<void>
  readonly drop: (id: string) => Promise<void>
  readonly askLink: (url: string | null) => void
  readonly dispose: () => void
}

function createTerminals(client: Client, projectId: ProjectId): Terminals {
  const store = createStore<TerminalsState>(() => ({ tabs: [], selected: outputTab, link: null }))
  const closing = new AbortController()
  /** Terminals that waited for a decision when the page last looked. */
  let waited: readonly TerminalRecord[] = []
  let count = 0

  const update = (id: string, change: (tab: TerminalTab) => TerminalTab): void =>
    store.setState(({ tabs }) => ({ tabs: tabs.map((tab) => (tab.id === id ? change(tab) : tab)) }))
  const askLink = (link: string | null): void => store.setState({ link })
  const remove = (id: string): void =>
    store.setState(({ tabs, selected }) => {
      tabs.find((tab) => tab.id === id)?.screen.dispose()
      const left = tabs.filter((tab) => tab.id !== id)
      return { tabs: left, selected: selected === id ? (left.at(-1)?.id ?? outputTab) : selected }
    })

  /**
   * Streams a shell's output to its screen until the shell ends. Calls `onOpen` once it takes input, and `onPrompt` with its
   * first output.
   */
  async function stream(
    { id: terminalId, branchId, screen }: TerminalTab,
    onOpen: () => void,
    onPrompt: () => void,
  ): Promise<void> {
    const request = { projectId, terminalId, branchId, ...screen.size() }
    const finish = (shell: ShellState): void => update(terminalId, (tab) => ({ ...tab, shell }))
    try {
      const events = await client.terminal.open(request, { signal: closing.signal })
      onOpen()
      for await (const event of events) {
        if (event.type === 'output') screen.terminal.write(event.text)
        else finish({ kind: 'ended', changed: event.changed })
        onPrompt()
      }
    } catch (error) {
      if (!closing.signal.aborted) finish({ kind: 'failed', refusal: refusalOf(error) })
    }
  }

  function open(branchId: BranchId | null, typed = ''): void {
    const screen = createScreen({ readOnly: false, onLink: askLink })
    count += 1
    const id = crypto.randomUUID()
    const tab: TerminalTab = { id, number: count, branchId, shell: { kind: 'running' }, screen }
    const at = { projectId, terminalId: id }
    const write = (data: string): void => void client.terminal.write({ ...at, data }).catch(() => undefined)
    let early: string | undefined = ''
    // What a shell gets before its prompt stands there twice.
    let waiting = typed
    screen.terminal.onData((data) => {
      if (early === undefined) write(data)
      else early += data
    })
    screen.terminal.onResize(() => void client.terminal.resize({ ...at, ...screen.size() }).catch(() => undefined))
    store.setState(({ tabs }) => ({ tabs: [...tabs, tab], selected: id }))
    const onOpen = (): void => {
      if (early) write(early)
      early = undefined
    }
    void stream(tab, onOpen, () => {
      if (waiting) write(waiting)
      waiting = ''
    })
  }

  function showWaiting(waiting: readonly TerminalRecord[]): void {
    const { tabs } = store.getState()
    for (const { id } of waited) if (!waiting.some((one) => one.id === id)) remove(id)
    waited = waiting
    const missing = waiting.filter(({ id }) => !tabs.some((tab) => tab.id === id))
    const shown = missing.map(({ id, branchId, patch }): TerminalTab => {
      count += 1
      const changed = (patch ?? []).map(([path]) => path)
      const screen = createScreen({ readOnly: true, onLink: askLink })
      return { id, number: count, branchId, shell: { kind: 'ended', changed }, screen }
    })
    const [first] = shown
    if (first) store.setState((now) => ({ tabs: [...now.tabs, ...shown], selected: first.id }))
  }

  async function close(id: string): Promise<void> {
    const shell = store.getState().tabs.find((tab) => tab.id === id)?.shell
    if (shell?.kind === 'ended' && shell.changed.length > 0) return store.setState({ selected: id })
    if (shell?.kind === 'running') await endShell(id)
    const now = store.getState().tabs.find((tab) => tab.id === id)?.shell
    if (now?.kind === 'ended' && now.changed.length > 0) store.setState({ selected: id })
    else remove(id)
  }

  /** Ends a shell; resolves once it has ended. */
  function endShell(id: string): Promise<void> {
    return new Promise((resolve) => {
      const stop = store.subscribe(({ tabs }) => {
        if (tabs.find((tab) => tab.id === id)?.shell.kind === 'running') return
        stop()
        resolve()
      })
      client.terminal.end({ projectId, terminalId: id }).catch(() => undefined)
    })
  }

  return {
    store,
    open,
    showWaiting,
    close,
    select: (selected) => store.setState({ selected }),
    async keep(id) {
      await client.terminal.keep({ projectId, terminalId: id })
      remove(id)
    },
    async drop(id) {
      await client.terminal.drop({ projectId, terminalId: id })
      remove(id)
    },
    askLink,
    dispose() {
      closing.abort()
      for (const { screen } of store.getState().tabs) screen.dispose()
    },
  }
}

let current: { readonly client: Client; readonly projectId: ProjectId; readonly terminals: Terminals } | undefined

/** The terminals of the open project. Opening another project ends the terminals of the previous one. */
export function terminalsOf(client: Client, projectId: ProjectId): Terminals {
  if (current?.client === client && current.projectId === projectId) return current.terminals
  current?.terminals.dispose()
  current = { client, projectId, terminals: createTerminals(client, projectId) }
  return current.terminals
}
