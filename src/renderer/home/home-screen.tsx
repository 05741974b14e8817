import { FlaskConical, FolderOpen, Settings, SquareDashed } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { FolderDialog } from '../state/folder-dialog.tsx'
import { useApp, useCommand, useSession } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import type { ProjectSource } from '../state/session.ts'
import { strings } from '../state/strings.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Line } from './line.tsx'
import { ProviderLine } from './provider-line.tsx'
import { RecentList } from './recent-list.tsx'

const labels = strings.home

/** The first screen: a folder or the demo, with equal weight. */
export function HomeScreen(): ReactNode {
  const session = useSession()
  const info = useApp((state) => state.info)
  const opening = useCommand()
  const startProblem = useApp((state) => state.startProblem)
  const refusal = opening.refusal ?? startProblem
  const [browsing, setBrowsing] = useState(false)
  const open = (source: ProjectSource): Promise<boolean> => opening.run(() => session.openProject(source))

  async function openFolder(): Promise<void> {
    if (!info?.canPickFolder) return setBrowsing(true)
    await opening.run(async () => {
      const path = await session.client.app.pickFolder()
      if (path) await session.openProject({ kind: 'folder', path })
    })
  }

  return (
    <main className="h-full overflow-auto">
      <div className="mx-auto flex max-w-2xl flex-col gap-6 px-4 py-[8vh]">
        <header className="flex items-start gap-3">
          <div className="flex-1">
            <h1 className="font-semibold text-xl">{labels.title}</h1>
            <p className="mt-1 text-pretty text-base text-muted">{labels.lead}</p>
          </div>
          <IconButton
            label={strings.shell.settings}
            onClick={() => session.updateView((view) => ({ ...view, route: 'settings' }))}
          >
            <Settings size={16} aria-hidden />
          </IconButton>
        </header>
        <div className="grid gap-3 sm:grid-cols-2">
          <Start
            icon={<FolderOpen size={18} aria-hidden />}
            label={labels.openFolder}
            hint={labels.openHint}
            disabled={opening.busy}
            onClick={() => void openFolder()}
          />
          <Start
            icon={<FlaskConical size={18} aria-hidden />}
            label={labels.demo}
            hint={labels.demoHint}
            disabled={opening.busy}
            onClick={() => void open({ kind: 'demo' })}
          />
        </div>
        {refusal && !browsing && <RefusalNotice refusal={refusal} />}
        <RecentList onOpen={(path) => void open({ kind: 'folder', path })} />
        <section aria-label={labels.more} className="divide-y divide-line rounded-lg border border-line">
          <ProviderLine />
          <Line
            icon={<SquareDashed size={15} aria-hidden className="text-muted" />}
            text={<span className="text-muted">{labels.scratchHint}</span>}
            action={
              <Button disabled={opening.busy} onClick={() => void open({ kind: 'scratch' })}>
                {labels.scratch}
              </Button>
            }
          />
        </section>
        {info && <p className="text-faint text-xs">{labels.version(info.version)}</p>}
      </div>
      {browsing && (
        <FolderDialog
          title={labels.browseTitle}
          action={labels.openThis}
          refusal={opening.refusal}
          busy={opening.busy}
          onOpen={(path) => void open({ kind: 'folder', path })}
          onClose={() => setBrowsing(false)}
        />
      )}
    </main>
  )
}

interface StartProps {
  readonly icon: ReactNode
  readonly label: string
  readonly hint: string
  readonly disabled: boolean
  readonly onClick: () => void
}

function Start({ icon, label, hint, disabled, onClick }: StartProps): ReactNode {
  const hintId = useId()
  return (
    <button
      type="button"
      aria-label={label}
      aria-describedby={hintId}
      disabled={disabled}
      onClick={onClick}
      className="flex items-start gap-3 rounded-lg border border-line-strong bg-raised p-4 text-left transition-colors duration-100 hover:bg-hover disabled:opacity-50"
    >
      <span className="rounded-md bg-accent-soft p-1.5 text-accent">{icon}</span>
      <span>
        <span className="block font-semibold text-base">{label}</span>
        <span id={hintId} className="block text-muted">
          {hint}
        </span>
      </span>
    </button>
  )
}
