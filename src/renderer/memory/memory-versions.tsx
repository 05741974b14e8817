import { RotateCcw } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { latestFirst } from '#shared/base/chain.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { latestVersion, type Memory, type MemoryVersion, versionBefore } from '#shared/model/memory.ts'
import { formatDate } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useCommand, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { type MemoryScope, showThread } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { DiffView } from '../ui/diff/diff-view.tsx'
import { diffTexts } from '../ui/diff/line-diff.ts'
import { useMemorySource } from './memory-source.ts'

const labels = strings.memory
const shownAtFirst = 20

/** The versions of a memory, latest first. Each opens to what it changed. */
export function MemoryVersions({ memory, scope }: { memory: Memory; scope: MemoryScope }): ReactNode {
  const source = useMemorySource(scope)
  const restoring = useCommand()
  const [opened, setOpened] = useState<Sequence | null>(null)
  const [all, setAll] = useState(false)
  const versions = [...latestFirst(memory.versions)]
  const latest = latestVersion(memory).sequence
  const restore = (to: Sequence): void => void restoring.run(() => source.restore({ name: memory.name, to, latest }))
  return (
    <section aria-label={labels.history} className="flex flex-col gap-2">
      <h3 className="font-semibold">{labels.history}</h3>
      {restoring.refusal && <RefusalNotice refusal={restoring.refusal} />}
      <ul className="divide-y divide-line rounded-lg border border-line">
        {(all ? versions : versions.slice(0, shownAtFirst)).map((version) => (
          <li key={version.sequence} className="px-3 py-2">
            <VersionHead
              memory={memory}
              version={version}
              open={opened === version.sequence}
              busy={restoring.busy}
              onToggle={() => setOpened(opened === version.sequence ? null : version.sequence)}
              onRestore={() => restore(version.sequence)}
            />
            {opened === version.sequence && <VersionChange memory={memory} version={version} scope={scope} />}
          </li>
        ))}
      </ul>
      {!all && versions.length > shownAtFirst && (
        <Button className="self-start" onClick={() => setAll(true)}>
          {strings.common.showAll(versions.length)}
        </Button>
      )}
    </section>
  )
}

interface VersionHeadProps {
  readonly memory: Memory
  readonly version: MemoryVersion
  readonly open: boolean
  readonly busy: boolean
  readonly onToggle: () => void
  readonly onRestore: () => void
}

function VersionHead({ memory, version, open, busy, onToggle, onRestore }: VersionHeadProps): ReactNode {
  const isCurrent = version === latestVersion(memory)
  const note = noteOf(memory, version)
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="min-w-0 flex-1">
        <button
          type="button"
          aria-expanded={open}
          onClick={onToggle}
          className="min-h-6 rounded-sm text-left font-medium hover:underline"
        >
          {labels.version(version.number)}
        </button>
        {note && <span className="text-muted"> · {note}</span>}
        <Provenance version={version} />
      </div>
      {isCurrent && version.length !== null && <span className="pt-0.5 text-muted text-xs">{labels.current}</span>}
      {!isCurrent && version.length !== null && (
        <Button
          tone="quiet"
          aria-label={labels.restoreVersion(version.number)}
          icon={<RotateCcw size={14} aria-hidden />}
          disabled={busy}
          onClick={onRestore}
        >
          {labels.restore}
        </Button>
      )}
    </div>
  )
}

function noteOf({ versions }: Memory, { length, restores }: MemoryVersion): string | null {
  if (length === null) return labels.versionRow.deleted
  const source = [...latestFirst(versions)].find(({ sequence }) => sequence === restores)
  return source ? labels.versionRow.restored(source.number) : null
}

/** The changes from the previous version to this one. */
function VersionChange(props: { memory: Memory; version: MemoryVersion; scope: MemoryScope }): ReactNode {
  const { memory, version, scope } = props
  const { name } = memory
  const older = useVersionText(scope, name, versionBefore(memory, version.sequence)?.sequence ?? null)
  const newer = useVersionText(scope, name, version.length === null ? null : version.sequence)
  const hunks = useMemo(
    () => (older.text === null || newer.text === null ? null : diffTexts(older.text, newer.text)),
    [older.text, newer.text],
  )
  for (const { loaded, reload } of [older, newer]) {
    if (loaded.state === 'failed') return <RefusalNotice refusal={loaded.refusal} onRetry={reload} />
  }
  if (!hunks) return <Waiting label={strings.common.loading} />
  if (hunks.length === 0) return <p className="text-muted">{labels.noChanges}</p>
  return (
    <div className="mt-2 max-h-96 overflow-auto rounded-md border border-line">
      <DiffView
        label={labels.changesOf(version.number)}
        path={name}
        hunks={hunks}
        showAllLabel={strings.common.showAll}
      />
    </div>
  )
}

/** The text of one version, empty for none; null until it is loaded. */
function useVersionText(scope: MemoryScope, name: string, sequence: Sequence | null) {
  const projectId = useProjectId()
  const query = scope === 'user' ? 'userMemory.version' : 'memory.version'
  const [loaded, reload] = useQuery(query, sequence === null ? null : { projectId, name, sequence }, 0)
  return { text: loaded.state === 'idle' ? '' : (loaded.value?.text ?? null), loaded, reload }
}

/** Says who wrote the version and when. Links to the thread if it still exists. */
export function Provenance({ version }: { version: MemoryVersion }): ReactNode {
  const updateUi = useUpdateUi()
  const thread = useApp((state) => state.project.threads.get(version.threadId))
  const open = useApp((state) => state.projectInfo?.id)
  const { project } = version
  const author = version.agent === null ? labels.by.person : labels.by.agent(version.agent)
  const when = formatDate(version.at)
  return (
    <p className="text-muted text-xs [overflow-wrap:anywhere]">
      {version.length === null ? labels.deletedBy(author, when) : labels.written(author, when)}{' '}
      {project && project.id !== open && labels.forAll.origin(project.name)}
      {thread && (
        <button
          type="button"
          aria-label={labels.openThread(thread.title)}
          onClick={() => updateUi((ui) => showThread(ui, thread.id))}
          className="rounded-sm text-left text-accent hover:underline"
        >
          {labels.inThread(thread.title)}
        </button>
      )}
    </p>
  )
}
