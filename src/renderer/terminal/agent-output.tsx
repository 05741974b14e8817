import { SquareTerminal } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { useApp, useAppList } from '../state/hooks/hooks.tsx'
import { outputKey } from '../state/store/live.ts'
import { activeFamily } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { Empty } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { type AgentCommand, agentCommands } from './agent-commands.ts'
import { createScreen } from './screen.ts'
import { ScreenView } from './screen-view.tsx'

const labels = strings.terminal

interface AgentOutputProps {
  readonly onLink: (url: string) => void
}

/** The output of agents' commands, read-only: live while a command runs, complete afterwards. */
export function AgentOutput({ onLink }: AgentOutputProps): ReactNode {
  const threads = useAppList(activeFamily)
  const commands = useMemo(() => agentCommands(threads), [threads])
  const [chosen, setChosen] = useState<ToolCallId | null>(null)
  const shown = commands.find(({ call }) => call.callId === chosen) ?? commands[0]
  if (!shown)
    return <Empty icon={<SquareTerminal size={20} />} title={labels.noCommands} detail={labels.noCommandsHint} />
  return (
    <div className="flex min-h-0 flex-1">
      <ul aria-label={labels.commands} className="w-[min(18rem,40%)] shrink-0 overflow-auto border-line border-r py-1">
        {commands.map((one) => (
          <li key={`${one.thread.id} ${one.call.callId}`}>
            <CommandButton
              command={one}
              selected={one === shown}
              onSelect={() => setChosen(one === commands[0] ? null : one.call.callId)}
            />
          </li>
        ))}
      </ul>
      <CommandOutput key={`${shown.thread.id} ${shown.call.callId}`} command={shown} onLink={onLink} />
    </div>
  )
}

const ends = { ok: 'done', cancelled: 'stopped', rejected: 'failed', error: 'failed' } as const

interface CommandButtonProps {
  readonly command: AgentCommand
  readonly selected: boolean
  readonly onSelect: () => void
}

function CommandButton({ command: { thread, call, command }, selected, onSelect }: CommandButtonProps): ReactNode {
  const state = call.state.kind === 'running' ? 'working' : ends[resultOf(call)?.outcome ?? 'error']
  return (
    <button
      type="button"
      aria-pressed={selected}
      onClick={onSelect}
      className={classNames('flex w-full flex-col px-3 py-1 text-left hover:bg-hover', selected && 'bg-accent-soft')}
    >
      <span className="w-full truncate font-mono text-xs">
        <VisibleText text={command.split('\n', 1)[0] ?? ''} />
      </span>
      <span className="w-full truncate text-muted text-xs">
        <VisibleText text={thread.agent} /> · {strings.common.status[state]}
      </span>
    </button>
  )
}

function CommandOutput({ command: { thread, call }, onLink }: { command: AgentCommand } & AgentOutputProps): ReactNode {
  const live = useApp((state) => state.live.outputs.get(outputKey(thread.id, call.callId)))
  const result = resultOf(call)
  const text = result ? textOf(result.content.filter((part) => part.type === 'text')) : (live ?? '')
  const [screen] = useState(() => createScreen({ readOnly: true, onLink }))
  const written = useRef('')
  useEffect(() => {
    const grew = text.startsWith(written.current)
    if (!grew) screen.terminal.reset()
    screen.terminal.write(grew ? text.slice(written.current.length) : text)
    written.current = text
  }, [screen, text])
  return <ScreenView screen={screen} />
}
