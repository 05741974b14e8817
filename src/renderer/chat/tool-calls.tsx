import { Ban, Check, ChevronRight, LoaderCircle, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Call, callDuration, resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { formatDuration } from '#shared/text/format.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { describeCall, describeCalls, outcomeOf, resultLine } from '#shared/tools/tool-labels.ts'
import { useApp, useAppList } from '../state/hooks/hooks.tsx'
import { outputKey } from '../state/store/live.ts'
import { activeBranches, subagentsOf } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { CallDetail } from './call-detail.tsx'
import { BatchLine, MemoryLine } from './call-lines.tsx'
import { FailedAgent } from './end/failed-agent.tsx'
import { outcomeNote } from './outcome-note.ts'
import { LoginLine } from './servers/login-line.tsx'
import { ServerQuestions } from './servers/server-question.tsx'

interface ToolCallsProps {
  readonly threadId: ThreadId
  readonly calls: readonly Call[]
}

/** Consecutive calls of one tool as one line, which opens to the calls. Agents that failed are named below it. */
export function ToolCalls(props: ToolCallsProps): ReactNode {
  return (
    <>
      <CallRows {...props} />
      {props.calls.some(({ name }) => starters.has(name)) && <FailedAgents {...props} />}
    </>
  )
}

/** Tools that start agents. A batch has a table of its own. */
const starters: ReadonlySet<string> = new Set(['task', 'spawn_subagents'])

/** The agents of the calls that failed, while the one that started them goes on. Its end names them again. */
function FailedAgents({ threadId, calls }: ToolCallsProps): ReactNode {
  const goesOn = useApp((state) => state.project.threads.get(threadId)?.status === 'working')
  const failed = useAppList((state) =>
    subagentsOf(state, threadId).filter(
      ({ status, parent }) => status === 'failed' && calls.some(({ callId }) => callId === parent?.callId),
    ),
  )
  if (!goesOn) return null
  return failed.map((thread) => (
    <div key={thread.id} className="my-1 ml-6 flex items-start gap-2 border-bad/50 border-l-2 pl-2">
      <div className="min-w-0 flex-1">
        <FailedAgent thread={thread} />
      </div>
    </div>
  ))
}

function CallRows({ threadId, calls }: ToolCallsProps): ReactNode {
  const [open, setOpen] = useState(false)
  const [first] = calls
  if (!first) return null
  // A question is always read with its answer.
  if (calls.length === 1 || findToolFacts(first.name).isQuestion)
    return calls.map((call) => <ToolCall key={call.callId} threadId={threadId} call={call} />)
  const failed = calls.filter((call) => outcomeOf(call) === 'error' || outcomeOf(call) === 'rejected').length
  const pending = calls.some((call) => !resultOf(call))
  return (
    <div>
      <Row open={open} onToggle={() => setOpen(!open)}>
        <Mark outcome={pending ? 'pending' : failed === calls.length ? 'error' : 'ok'} />
        <span className="font-medium">{describeCalls(first.name, calls.length)}</span>
        {failed > 0 && <span className="text-bad">{strings.chat.callsFailed(failed)}</span>}
        <Duration milliseconds={calls.reduce((sum, call) => sum + (callDuration(call) ?? 0), 0)} />
      </Row>
      {!open && <MemoryLines calls={calls} />}
      {!open && <LoginLines calls={calls} />}
      {!open && <AskedLines threadId={threadId} calls={calls} />}
      {open && (
        <div className="ml-3 border-line border-l pl-2">
          {calls.map((call) => (
            <ToolCall key={call.callId} threadId={threadId} call={call} />
          ))}
        </div>
      )}
    </div>
  )
}

function ToolCall({ threadId, call }: { threadId: ThreadId; call: Call }): ReactNode {
  const [open, setOpen] = useState(false)
  const output = useApp((state) => state.live.outputs.get(outputKey(threadId, call.callId)))
  const nameOf = useHandleNames()
  const { verb, object } = describeCall(call.name, call.input, nameOf)
  const result = resultOf(call)
  const answer = findToolFacts(call.name).isQuestion && result?.outcome === 'ok' ? textOf(result.content) : ''
  const note = outcomeNote(call)
  const problem = note ? note.reason : resultLine(call)
  return (
    <div>
      <Row open={open} onToggle={() => setOpen(!open)}>
        <Mark outcome={outcomeOf(call)} />
        <span className="shrink-0 font-medium">{verb}</span>
        <span className="min-w-0 truncate font-mono text-muted text-xs">
          <VisibleText text={object} />
        </span>
        {note !== null && <span className="shrink-0 text-muted text-xs">{note.word}</span>}
        {problem && <span className="min-w-0 flex-1 truncate text-bad">{problem}</span>}
        <Duration milliseconds={callDuration(call)} />
      </Row>
      {answer !== '' && (
        <p dir="auto" className="ml-6 line-clamp-3 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <span className="text-muted">{strings.chat.answered}</span> {answer}
        </p>
      )}
      <MemoryLines calls={[call]} />
      {result?.login !== undefined && <LoginLine server={result.login} />}
      {!result && call.name.startsWith('mcp__') && <ServerQuestions threadId={threadId} call={call} />}
      {call.batch && <BatchLine threadId={threadId} call={call} />}
      {open ? (
        <CallDetail call={call} output={output ?? null} />
      ) : (
        output && (
          <pre className="ml-6 max-h-24 overflow-hidden whitespace-pre-wrap text-muted text-xs">
            {lastLines(output)}
          </pre>
        )
      )}
    </div>
  )
}

/** Always shown, even below a folded line, because a memory outlives the thread. */
function MemoryLines({ calls }: Pick<ToolCallsProps, 'calls'>): ReactNode {
  return calls.flatMap(({ remembered }) => remembered).map((note) => <MemoryLine key={note.sequence} note={note} />)
}

/** Also below a folded line, because the calls wait. */
function AskedLines({ threadId, calls }: ToolCallsProps): ReactNode {
  const running = calls.filter((call) => !resultOf(call) && call.name.startsWith('mcp__'))
  return running.map((call) => <ServerQuestions key={call.callId} threadId={threadId} call={call} />)
}

/** One for each server, also below a folded line. */
function LoginLines({ calls }: Pick<ToolCallsProps, 'calls'>): ReactNode {
  const servers = new Set(calls.flatMap((call) => resultOf(call)?.login ?? []))
  return [...servers].map((server) => <LoginLine key={server} server={server} />)
}

function lastLines(output: string): string {
  return output.trimEnd().split('\n').slice(-4).join('\n')
}

function Row({ open, onToggle, children }: { open: boolean; onToggle: () => void; children: ReactNode }): ReactNode {
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className="flex min-h-6 w-full min-w-0 items-baseline gap-1.5 rounded-md px-1 py-0.5 text-left hover:bg-hover [&>svg]:self-center"
    >
      <ChevronRight
        size={14}
        aria-hidden
        className={classNames('shrink-0 text-faint transition-transform duration-100', open && 'rotate-90')}
      />
      {children}
    </button>
  )
}

/** A shorter time says nothing. */
const shownFrom = 1000

function Duration({ milliseconds }: { milliseconds: number | null }): ReactNode {
  if (milliseconds === null || milliseconds < shownFrom) return null
  return <span className="ml-auto shrink-0 pl-2 text-faint text-xs tabular-nums">{formatDuration(milliseconds)}</span>
}

const marks = {
  ok: { Icon: Check, colour: 'text-good' },
  error: { Icon: X, colour: 'text-bad' },
  rejected: { Icon: Ban, colour: 'text-bad' },
  cancelled: { Icon: Ban, colour: 'text-faint' },
  pending: { Icon: LoaderCircle, colour: 'text-accent motion-safe:animate-spin' },
} as const

function Mark({ outcome }: { outcome: keyof typeof marks }): ReactNode {
  const { Icon, colour } = marks[outcome]
  return (
    <>
      <Icon size={14} aria-hidden className={classNames('shrink-0', colour)} />
      <span className="sr-only">{strings.chat.outcome[outcome]}</span>
    </>
  )
}

/** Returns a function that names the agent of a handle of the open family. A handle that is unknown stays as it is. */
function useHandleNames(): (handle: string) => string {
  const branches = useAppList(activeBranches)
  return (handle) => branches.find((branch) => branch.handle === handle)?.name ?? handle
}
