import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import type { ProcessView } from '#shared/model/process.ts'
import type { RunScript } from '#shared/model/setup.ts'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { RefusalNotice } from '../refusal-notice.tsx'
import { useBranchName } from './use-branch-name.ts'

const labels = strings.processes

interface RunScriptsProps {
  readonly branchId: BranchId
  /** What the project names. */
  readonly runs: readonly RunScript[]
  /** The processes of the branch. One that runs is not offered again. */
  readonly processes: readonly ProcessView[]
}

/** The commands that the project names for people, each with one press to start it in a branch. Nothing when all run. */
export function RunScripts({ branchId, runs, processes }: RunScriptsProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const branch = useBranchName(branchId)
  const sandbox = useApp((state) => state.info?.sandbox.state ?? 'off')
  const isRunning = (line: string) =>
    processes.some((one) => one.branchId === branchId && one.end === null && one.command === line)
  const offered = runs.filter((one) => !isRunning(one.command))
  if (offered.length === 0) return null
  return (
    <div className="px-2 pb-1">
      <ul aria-label={labels.runs(branch)}>
        {offered.map(({ name, command: line, source }) => (
          <li key={name} className="flex items-center gap-2 py-0.5">
            <Button
              className="h-6 max-w-[50%] shrink-0"
              aria-label={labels.runIn(name, branch)}
              disabled={command.busy}
              icon={<Play size={13} aria-hidden />}
              onClick={() =>
                void command.run(() => client.processes.start({ projectId, branchId, name, command: line }))
              }
            >
              <span className="truncate">
                <VisibleText text={labels.run(name)} />
              </span>
            </Button>
            <code className="min-w-0 flex-1 truncate text-muted text-xs" title={`${line}\n${source}`}>
              <VisibleText text={line} />
            </code>
          </li>
        ))}
      </ul>
      {sandbox !== 'on' && (
        <p className="text-warn text-xs">{sandbox === 'off' ? labels.runsUnconfined : labels.runsOpen}</p>
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </div>
  )
}
