import { Eraser } from 'lucide-react'
import type { ReactNode } from 'react'
import type { EnvironmentUsage, SetupUsage } from '#shared/contract/views/projects.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { formatAgo, formatBytes, formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { SavedField } from './fields.tsx'

const labels = strings.storage.environments

interface EnvironmentStorageProps {
  readonly projectId: ProjectId
  readonly environments: readonly EnvironmentUsage[]
  readonly setup: SetupUsage | null
  readonly onCleaned: () => void
}

/** What commands of each thread left, with one press to remove it, and how much all of it may take. */
export function EnvironmentStorage({ projectId, environments, setup, onCleaned }: EnvironmentStorageProps): ReactNode {
  const client = useClient()
  const command = useCommand()
  const isEmpty = environments.length === 0 && setup === null
  const cleanUp = ({ threadId, title }: EnvironmentUsage): void =>
    void command.run(async () => {
      const { freed } = await client.storage.dropEnvironment({ projectId, threadId })
      toastNote(freed > 0 ? labels.cleaned(title, formatBytes(freed)) : labels.inUse(title))
      onCleaned()
    })
  const dropSetup = (): void =>
    void command.run(async () => {
      toastNote(labels.setupCleaned(formatBytes((await client.storage.dropSetup({ projectId })).freed)))
      onCleaned()
    })
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium">{labels.title}</h3>
      <p className="text-muted">{labels.about}</p>
      <EnvironmentLimit />
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {!isEmpty && (
        <table aria-label={labels.title} className="w-full text-left">
          <thead className="text-muted text-xs">
            <tr>
              <th className="py-1 font-normal">{labels.thread}</th>
              <th className="py-1 pl-3 font-normal">{labels.used}</th>
              <th className="py-1 pl-3 text-right font-normal">{strings.storage.size}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {setup && (
              <EnvironmentRow
                {...setup}
                title={labels.setup}
                removable={setup.bytes}
                busy={command.busy}
                onCleanUp={dropSetup}
              />
            )}
            {environments.map((one) => (
              <EnvironmentRow key={one.threadId} {...one} busy={command.busy} onCleanUp={() => cleanUp(one)} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** Saves a new limit when the field is left. */
function EnvironmentLimit(): ReactNode {
  const client = useClient()
  const command = useCommand()
  const [settings, reload] = useQuery('settings.get', undefined)
  if (!settings.value) return null
  const save = (gigabytes: number): void =>
    void command.run(async () => {
      await client.settings.update({ environmentsMaxGb: gigabytes })
      reload()
    })
  return (
    <>
      <SavedField
        type="number"
        label={labels.limit}
        hint={labels.limitHint}
        value={String(settings.value.environmentsMaxGb)}
        onSave={(text) => text !== '' && Number(text) >= 0 && save(Number(text))}
      />
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </>
  )
}

interface EnvironmentRowProps extends Omit<EnvironmentUsage, 'threadId'> {
  readonly busy: boolean
  readonly onCleanUp: () => void
}

function EnvironmentRow({ title, bytes, removable, usedAt, busy, onCleanUp }: EnvironmentRowProps): ReactNode {
  return (
    <tr className="border-line border-t">
      <th className="py-2 font-normal [overflow-wrap:anywhere]">{title}</th>
      <td className="whitespace-nowrap py-2 pl-3 text-muted">
        <time title={formatDate(usedAt)}>{formatAgo(usedAt, Date.now())}</time>
      </td>
      <td className="whitespace-nowrap py-2 pl-3 text-right tabular-nums">{formatBytes(bytes)}</td>
      <td className="py-2 pl-3 text-right">
        <Button
          icon={<Eraser size={14} aria-hidden />}
          aria-label={labels.cleanUpOf(title)}
          title={removable === 0 ? labels.shared : undefined}
          disabled={busy || removable === 0}
          onClick={onCleanUp}
        >
          {labels.cleanUp}
        </Button>
      </td>
    </tr>
  )
}
