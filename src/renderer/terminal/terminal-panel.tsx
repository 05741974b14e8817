import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { ProjectId } from '#shared/model/ids.ts'
import type { Client } from '../state/connection.ts'
import { useClient, useProjectId, useUpdateView } from '../state/hooks.tsx'
import { type Refusal, refusalOf } from '../state/refusal.ts'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button, IconButton } from '../ui/button.tsx'

const words = strings.files

type ShellState =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly refusal: Refusal }

/** The person's own shell; agents cannot type into it. */
export function TerminalPanel(): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const updateView = useUpdateView()
  const host = useRef<HTMLDivElement>(null)
  const [attempt, setAttempt] = useState(0)
  const [shell, setShell] = useState<ShellState>({ kind: 'running' })
  useTerminal(host, client, projectId, attempt, setShell)
  return (
    <section
      aria-label={words.terminal}
      data-region
      tabIndex={-1}
      className="flex h-full flex-col bg-canvas outline-none"
    >
      <header className="flex h-8 shrink-0 items-center gap-3 border-line border-b bg-panel px-3">
        <h2 className="font-medium">{words.terminal}</h2>
        <p className="truncate text-muted text-xs">{words.terminalHint}</p>
        <IconButton
          label={words.closeTerminal}
          className="ml-auto size-6!"
          onClick={() => updateView((view) => ({ ...view, bottom: false }))}
        >
          <X size={14} aria-hidden />
        </IconButton>
      </header>
      {shell.kind !== 'running' && (
        <div className="flex items-center gap-2 p-2">
          {shell.kind === 'failed' ? <RefusalNotice refusal={shell.refusal} /> : <p>{words.terminalEnded}</p>}
          <Button onClick={() => setAttempt(attempt + 1)}>{words.restart}</Button>
        </div>
      )}
      <div ref={host} className="min-h-0 flex-1 px-2 py-1" />
    </section>
  )
}

function useTerminal(
  host: RefObject<HTMLDivElement | null>,
  client: Client,
  projectId: ProjectId,
  attempt: number,
  onState: (state: ShellState) => void,
): void {
  useEffect(() => {
    const element = host.current
    if (!element) return
    const terminalId = `terminal-${attempt}-${crypto.randomUUID()}`
    const closing = new AbortController()
    const { terminal, fit } = createTerminal(element)
    const size = (): { columns: number; rows: number } => ({
      columns: Math.max(terminal.cols, 2),
      rows: Math.max(terminal.rows, 2),
    })
    terminal.onData((data) => void client.terminal.write({ projectId, terminalId, data }).catch(() => undefined))
    terminal.onResize(() => void client.terminal.resize({ projectId, terminalId, ...size() }).catch(() => undefined))
    const observer = new ResizeObserver(() => fit.fit())
    observer.observe(element)
    onState({ kind: 'running' })

    async function stream(): Promise<void> {
      const signal = closing.signal
      for await (const text of await client.terminal.open({ projectId, terminalId, ...size() }, { signal })) {
        terminal.write(text)
      }
    }
    stream().then(
      () => closing.signal.aborted || onState({ kind: 'ended' }),
      (error: unknown) => closing.signal.aborted || onState({ kind: 'failed', refusal: refusalOf(error) }),
    )
    return () => {
      closing.abort()
      observer.disconnect()
      terminal.dispose()
    }
  }, [host, client, projectId, attempt, onState])
}

function createTerminal(element: HTMLElement): { terminal: Terminal; fit: FitAddon } {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: 12,
    cursorBlink: false,
    screenReaderMode: true,
    minimumContrastRatio: 4.5,
    theme: {
      background: colour('--canvas'),
      foreground: colour('--text'),
      cursor: colour('--text'),
      selectionBackground: colour('--accent-soft'),
    },
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(element)
  fit.fit()
  terminal.focus()
  return { terminal, fit }
}
