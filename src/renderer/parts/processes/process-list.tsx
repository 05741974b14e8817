import { ChevronDown, ChevronRight, CircleStop, ExternalLink, Pin } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { ProcessView } from '#shared/model/process.ts'
import { refusalOf } from '../../state/connection/refusal.ts'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { processKey } from '../../state/store/live.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { toastProblem } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { RefusalNotice } from '../refusal-notice.tsx'
import { useOpenLink } from '../use-open-link.ts'
import { ProcessOutputView } from './process-output.tsx'
import { useBranchName } from './use-branch-name.ts'
import { useScripts } from './use-scripts.ts'

const labels = strings.processes

interface ProcessListProps {
  readonly label: string
  readonly processes: readonly ProcessView[]
}

/** One row for each process, and the ports on which their branches listen. */
export function ProcessList({ label, processes }: ProcessListProps): ReactNode {
  const isConfined = useApp((state) => state.info?.sandbox.state !== 'off')
  const branches = [...new Set(processes.map(({ branchId }) => branchId))]
  return branches.map((branchId) => {
    const own = processes.filter((process) => process.branchId === branchId)
    const running = own.filter(({ end }) => end === null)
    return (
      <div key={branchId} className="pb-1">
        <ProcessGroup label={branches.length === 1 ? label : null} branchId={branchId}>
          {own.map((process) => (
            <ProcessRow key={processKey(process)} process={process} />
          ))}
        </ProcessGroup>
        {running.at(-1)?.branchPorts.map((port) => (
          <PortRow key={port} branchId={branchId} port={port} isOfBranch />
        ))}
        {!isConfined && running.length > 0 && <p className="px-3 text-muted text-xs">{labels.noPreviews}</p>}
      </div>
    )
  })
}

interface ProcessGroupProps {
  /** Null for a list that its branch names. */
  readonly label: string | null
  readonly branchId: BranchId
  readonly children: ReactNode
}

function ProcessGroup({ label, branchId, children }: ProcessGroupProps): ReactNode {
  const branch = useBranchName(branchId)
  return <ul aria-label={label ?? labels.titleOf(branch)}>{children}</ul>
}

interface ProcessRowProps {
  readonly process: ProcessView
}

function ProcessRow({ process }: ProcessRowProps): ReactNode {
  const { id: processId, threadId, branchId, end, isKept, ports } = process
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const agent = useApp((state) => state.project.threads.get(threadId)?.agent ?? '')
  const [isOpen, setOpen] = useState(false)
  const line = lineOf(process)
  const handle = useApp((state) => state.project.branches.get(branchId)?.handle ?? null)
  const name = labels.name(line, processId, labels.branchName(agent, handle))
  const Fold = isOpen ? ChevronDown : ChevronRight
  const facts = [agent, labels.state(process), isKept && end === null && labels.kept].filter(Boolean).join(' · ')
  return (
    <li className="px-1">
      <div className="flex items-center gap-1">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={labels.output(name)}
          title={process.command}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 items-center gap-1 rounded-md px-1 py-0.5 text-left hover:bg-hover"
        >
          <Fold size={13} aria-hidden className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-mono text-xs leading-[18px]">
              <VisibleText text={line} />
            </span>
            <span className="block truncate text-muted text-xs leading-4">
              <VisibleText text={facts} />
            </span>
          </span>
        </button>
        {end === null && (
          <>
            <IconButton
              label={labels.keep(name)}
              aria-pressed={isKept}
              className="size-6!"
              disabled={command.busy}
              onClick={() =>
                void command.run(() => client.processes.keep({ projectId, threadId, processId, isKept: !isKept }))
              }
            >
              <Pin size={14} aria-hidden className={isKept ? 'fill-current' : undefined} />
            </IconButton>
            <IconButton
              label={labels.stop(name)}
              className="size-6!"
              disabled={command.busy}
              onClick={() => void command.run(() => client.processes.stop({ projectId, threadId, processId }))}
            >
              <CircleStop size={14} aria-hidden />
            </IconButton>
          </>
        )}
      </div>
      {end !== null && end.note !== '' && (
        <p className={`pr-2 pl-[21px] pb-0.5 text-muted text-xs ${isOpen ? '' : 'line-clamp-2'}`}>
          <VisibleText text={end.note} />
        </p>
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {ports.map((port) => (
        <PortRow key={port} branchId={branchId} port={port} />
      ))}
      {isOpen && <ProcessOutputView process={process} name={name} />}
    </li>
  )
}

interface PortRowProps {
  readonly branchId: BranchId
  readonly port: number
  /** True when nobody knows which process listens. */
  readonly isOfBranch?: boolean
}

function PortRow({ branchId, port, isOfBranch = false }: PortRowProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const openLink = useOpenLink()
  const branch = useBranchName(branchId)
  const [isBusy, setBusy] = useState(false)
  const label = useScripts()?.ports.find((one) => one.port === port)?.label ?? null
  const open = async (): Promise<void> => {
    setBusy(true)
    try {
      openLink((await client.processes.openPreview({ projectId, branchId, port })).url)
    } catch (error) {
      toastProblem(labels.previewFailed, refusalOf(error).message)
    }
    setBusy(false)
  }
  return (
    <p className="flex items-center gap-2 py-0.5 pr-1 pl-5 text-xs">
      <span className="min-w-0 flex-1 truncate text-muted tabular-nums">
        <VisibleText text={isOfBranch ? labels.portOf(port, branch) : labels.port(port, label)} />
      </span>
      <Button
        tone="quiet"
        className="h-6"
        aria-label={labels.openPreview(port, branch)}
        disabled={isBusy}
        icon={<ExternalLink size={13} aria-hidden />}
        onClick={() => void open()}
      >
        {labels.openPreviewShort}
      </Button>
    </p>
  )
}

/** The first line of the command. */
function lineOf({ command }: ProcessView): string {
  const [line = ''] = command.trim().split('\n', 1)
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}
