import { Cpu, FlaskConical, Folder, FolderOpen, KeyRound, Settings, SquareDashed, X } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { FolderDialog } from '../parts/folder-dialog.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useCommand, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import type { ProjectSource } from '../state/session/session.ts'
import { formatDate } from '../strings/format.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'

const labels = strings.home

/** The first screen: it offers a folder and the demo with equal weight. */
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
            onClick={() => session.updateUi((ui) => ({ ...ui, route: 'settings' }))}
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

function RecentList({ onOpen }: { onOpen: (path: string) => void }): ReactNode {
  const session = useSession()
  const recent = useApp((state) => state.info?.recent)
  async function forget(path: string): Promise<void> {
    await session.client.projects.forget({ path })
    await session.refreshInfo()
  }
  return (
    <section aria-label={labels.recent}>
      <h2 className="mb-1 font-medium text-muted">{labels.recent}</h2>
      {!recent || recent.length === 0 ? (
        <p className="rounded-md border border-line border-dashed px-3 py-4 text-muted">{labels.noRecent}</p>
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {recent.map((project) => (
            <li key={project.path} className="flex items-center pr-1 hover:bg-hover">
              <button
                type="button"
                className="flex min-w-0 flex-1 items-center gap-2 px-3 py-2 text-left"
                onClick={() => onOpen(project.path)}
              >
                <Folder size={15} aria-hidden className="shrink-0 text-muted" />
                <span className="shrink-0 font-medium">{project.name}</span>
                <span className="min-w-0 flex-1 truncate text-muted">{project.path}</span>
                <span className="hidden shrink-0 text-muted text-xs sm:inline">{formatDate(project.openedAt)}</span>
              </button>
              <IconButton label={labels.forget(project.name)} onClick={() => void forget(project.path)}>
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** The model that would answer, and whether it has a key. */
function ProviderLine(): ReactNode {
  const info = useApp((state) => state.info)
  const updateUi = useUpdateUi()
  if (!info) return null
  const { provider } = info
  const Icon = provider.keySource ? Cpu : KeyRound
  return (
    <Line
      icon={<Icon size={15} aria-hidden className={provider.keySource ? 'text-good' : 'text-warn'} />}
      text={
        <>
          <span className="font-medium">{provider.model}</span>{' '}
          <span className="text-muted">{provider.keySource ? labels.keyFrom[provider.keySource] : labels.noKey}</span>
        </>
      }
      action={
        <Button onClick={() => updateUi((ui) => ({ ...ui, route: 'settings', settingsSection: 'models' }))}>
          {provider.keySource ? labels.changeModel : labels.addKey}
        </Button>
      }
    />
  )
}

interface LineProps {
  readonly icon: ReactNode
  readonly text: ReactNode
  readonly action: ReactNode
}

/** A line of text with a button at its end. */
function Line({ icon, text, action }: LineProps): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
      {icon}
      <p className="min-w-0 flex-1 basis-60">{text}</p>
      {action}
    </div>
  )
}
