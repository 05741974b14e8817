import { MessageSquare, Sparkles, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import { answerOf, type ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { formatElapsed, formatMoney } from '#shared/text/format.ts'
import { AgentMark } from '../../parts/agents/agent-mark.tsx'
import { FileDiff } from '../../parts/file-diff.tsx'
import { StatusMark } from '../../parts/marks.tsx'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { type Command, useApp, useClient, useCommand, useProjectId, useUpdateUi } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import type { AppState } from '../../state/store/app-state.ts'
import { activeFamily, isRunning } from '../../state/store/selectors.ts'
import { showThread } from '../../state/store/ui-state.ts'
import { conflictStrings } from '../../strings/later/conflicts.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { useNow } from '../../ui/react/observers.ts'
import type { TakeProposal } from './conflict-editor.tsx'

const labels = conflictStrings

interface AgentProposalProps {
  readonly branch: Branch
  readonly path: VirtualPath
  readonly onTake: TakeProposal
  /** Asks an agent. Absent to have it join the branch with the one it merges into. */
  readonly ask?: () => Promise<unknown>
  /** What the button says. Absent for a conflict of two sides. */
  readonly askLabel?: string
}

/** Lets an agent propose a text for a conflict. Its agent and branch are in the journal, so a reload keeps them. */
export function AgentProposal({ branch, path, onTake, ask: askOwn, askLabel }: AgentProposalProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const agent = useApp((state) => proposerOf(state, branch, path))
  const request = askOwn ?? (() => client.branches.askToResolve({ projectId, branchId: branch.id, path }))
  const ask = (): void => void command.run(request)
  const close = (thread: ThreadState): Promise<unknown> =>
    client.branches.discard({ projectId, branchId: thread.branchId, paths: null })
  return (
    <section aria-label={labels.proposal} className="flex flex-col gap-2">
      {agent ? (
        <Proposal
          agent={agent}
          path={path}
          command={command}
          onAsk={() =>
            void command.run(async () => {
              await close(agent)
              await request()
            })
          }
          onTake={(text) => onTake(text, () => void command.run(() => close(agent)))}
          onLeave={() => void command.run(() => close(agent))}
        />
      ) : (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Button icon={<Sparkles size={14} aria-hidden />} disabled={command.busy} onClick={ask}>
            {askLabel ?? labels.ask}
          </Button>
          <span className="min-w-0 flex-1 basis-60 text-muted text-xs">{labels.askHint}</span>
        </span>
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </section>
  )
}

/** The agent that was asked last about this conflict, until its proposal is taken or left. */
function proposerOf(state: AppState, { id }: Branch, path: VirtualPath): ThreadState | null {
  const asked = activeFamily(state).filter(
    ({ parent, branchId }) =>
      parent?.resolves?.branchId === id &&
      parent.resolves.path === path &&
      state.project.branches.get(branchId)?.status === 'open',
  )
  return asked.at(-1) ?? null
}

interface ProposalProps {
  readonly agent: ThreadState
  readonly path: VirtualPath
  readonly command: Command
  readonly onAsk: () => void
  readonly onTake: (text: string) => void
  readonly onLeave: () => void
}

function Proposal({ agent, path, command, onAsk, onTake, onLeave }: ProposalProps): ReactNode {
  const updateUi = useUpdateUi()
  const running = isRunning(agent)
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line bg-raised p-3">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <AgentMark name={agent.agent} />
        <h4 className="min-w-0 truncate font-semibold">
          <VisibleText text={labels.proposedBy(agent.agent)} />
        </h4>
        <StatusMark status={agent.status} />
        <Spent agent={agent} />
        <Button
          tone="quiet"
          className="ml-auto"
          icon={<MessageSquare size={13} aria-hidden />}
          onClick={() => updateUi((ui) => showThread(ui, agent.id))}
        >
          {labels.openProposer}
        </Button>
      </header>
      {running ? (
        <Running agent={agent} />
      ) : agent.status === 'done' ? (
        <Proposed agent={agent} path={path} command={command} onTake={onTake} onLeave={onLeave} />
      ) : (
        <>
          <p className="[overflow-wrap:anywhere]">
            {labels.proposalFailed} <span className="text-muted">{agent.end?.message}</span>
          </p>
          <Choices command={command} onLeave={onLeave}>
            <Button disabled={command.busy} onClick={onAsk}>
              {labels.askAgain}
            </Button>
          </Choices>
        </>
      )}
    </div>
  )
}

function Spent({ agent }: { agent: ThreadState }): ReactNode {
  const running = isRunning(agent)
  const now = useNow(running)
  const elapsed = Math.max((running ? now : agent.updatedAt) - agent.createdAt, 0)
  const cost = agent.usage.cost !== 0 ? ` · ${formatMoney(agent.usage.cost)}` : ''
  return <span className="text-muted text-xs tabular-nums">{`${formatElapsed(elapsed)}${cost}`}</span>
}

function Running({ agent }: { agent: ThreadState }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const stopping = useCommand()
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <p className="text-muted">{labels.proposing}</p>
      <Button
        icon={<Square size={12} aria-hidden />}
        disabled={stopping.busy}
        onClick={() => void stopping.run(() => client.threads.stop({ projectId, threadId: agent.id }))}
      >
        {labels.endProposal}
      </Button>
      {stopping.refusal && <RefusalNotice refusal={stopping.refusal} />}
    </div>
  )
}

type ProposedProps = Omit<ProposalProps, 'onAsk'>

/** What the agent said and changed. Taking it fills the result; nothing is saved here. */
function Proposed({ agent, path, command, onTake, onLeave }: ProposedProps): ReactNode {
  const projectId = useProjectId()
  const target = { projectId, branchId: agent.branchId, path }
  const version = useApp(({ timeline }) => timeline.versions.get(agent.branchId) ?? 0)
  const [diff, reload] = useQuery('branches.diff', target, version)
  const [file] = useQuery('files.read', target, version)
  if (diff.state === 'failed') return <RefusalNotice refusal={diff.refusal} onRetry={reload} />
  if (!diff.value || !file.value) return <Waiting label={strings.common.loading} />
  const text = file.value.kind === 'text' && !file.value.truncated ? file.value.text : null
  const isUnchanged = diff.value.hunks.length === 0
  return (
    <>
      <p dir="auto" className="line-clamp-4 whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">
        <VisibleText text={answerOf(agent)} />
      </p>
      {isUnchanged ? (
        <p>{labels.noProposal}</p>
      ) : (
        <div className="flex h-72 min-h-40 resize-y flex-col overflow-hidden rounded-md border border-line">
          <FileDiff diff={diff.value} label={labels.changeOf(path)} loadAfter={() => Promise.resolve(text)} />
        </div>
      )}
      {!isUnchanged && text === null && <p>{labels.tooLong}</p>}
      <Choices command={command} onLeave={onLeave}>
        {!isUnchanged && text !== null && (
          <Button title={labels.takeHint} disabled={command.busy} onClick={() => onTake(text)}>
            {labels.take}
          </Button>
        )}
      </Choices>
    </>
  )
}

interface ChoicesProps {
  readonly command: Command
  readonly onLeave: () => void
  readonly children: ReactNode
}

function Choices({ command, onLeave, children }: ChoicesProps): ReactNode {
  return (
    <span className="flex flex-wrap gap-2">
      {children}
      <Button tone="quiet" disabled={command.busy} onClick={onLeave}>
        {labels.leave}
      </Button>
    </span>
  )
}
