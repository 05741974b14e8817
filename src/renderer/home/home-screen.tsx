import { FlaskConical, Folder, FolderOpen, Settings, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { ProjectSummary } from '#shared/contract/views/projects.ts'
import { formatAgo, formatDate, formatMoney } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useCommand, useSession } from '../state/hooks/hooks.tsx'
import { keysHere } from '../state/preferences/keymap.ts'
import type { ProjectSource } from '../state/session/session.ts'
import { askForFolder, showSettings } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { ReadyList } from './ready-list.tsx'
import { Tour } from './tour.tsx'

const labels = strings.home
const icon = new URL('../icon.svg', import.meta.url).href

/** The first screen: it offers a folder and the demo with equal weight, and says what is missing for real work. */
export function HomeScreen({ keyForm }: { keyForm: (onReady: () => void) => ReactNode }): ReactNode {
  const session = useSession()
  const info = useApp((state) => state.info)
  const opening = useCommand()
  const startProblem = useApp((state) => state.startProblem)
  const refusal = opening.refusal ?? startProblem
  const open = (source: ProjectSource): Promise<boolean> => opening.run(() => session.openProject(source))

  return (
    <main className="h-full overflow-auto">
      <div className="mx-auto grid max-w-2xl gap-x-12 gap-y-6 px-4 py-[8vh] lg:max-w-6xl lg:grid-cols-[22rem_minmax(0,1fr)] lg:px-8">
        <div className="flex flex-col gap-6">
          <header>
            <div className="flex items-center gap-2">
              <img src={icon} alt="" className="size-8" />
              <h1 className="flex-1 font-semibold text-xl">{labels.title}</h1>
              <IconButton
                label={strings.shell.settings}
                onClick={() => session.updateUi((ui) => ({ ...ui, route: 'settings' }))}
              >
                <Settings size={16} aria-hidden />
              </IconButton>
            </div>
            <p className="mt-2 text-pretty text-base text-muted">{labels.lead}</p>
          </header>
          <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-1">
            <Start
              icon={<FolderOpen size={18} aria-hidden />}
              label={labels.openFolder}
              hint={labels.openHint}
              keys={keysHere('Mod+O')}
              disabled={opening.busy}
              onClick={() => session.updateUi(askForFolder)}
            />
            <Start
              icon={<FlaskConical size={18} aria-hidden />}
              label={labels.demo}
              hint={labels.demoHint}
              disabled={opening.busy}
              onClick={() => void open({ kind: 'demo' })}
            />
          </div>
          {refusal && <RefusalNotice refusal={refusal} />}
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <RecentList onOpen={(path) => void open({ kind: 'folder', path })} />
          <ReadyList keyForm={keyForm} />
          <Tour />
        </div>
        <footer className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-t pt-3 text-muted lg:col-span-2">
          <Button
            tone="quiet"
            className="-ml-2.5"
            disabled={opening.busy}
            title={labels.scratchHint}
            onClick={() => void open({ kind: 'scratch' })}
          >
            {labels.scratch}
          </Button>
          {info && (
            <Button
              tone="quiet"
              className="ml-auto text-xs"
              onClick={() => session.updateUi((ui) => showSettings(ui, 'about'))}
            >
              {labels.version(info.version)}
            </Button>
          )}
        </footer>
      </div>
    </main>
  )
}

interface StartProps {
  readonly icon: ReactNode
  readonly label: string
  readonly hint: string
  readonly keys?: string
  readonly disabled: boolean
  readonly onClick: () => void
}

function Start({ icon, label, hint, keys, disabled, onClick }: StartProps): ReactNode {
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
      <span className="flex-1">
        <span className="block font-semibold text-base">{label}</span>
        <span id={hintId} className="block text-muted">
          {hint}
        </span>
      </span>
      {keys && <kbd className="font-sans text-muted text-xs">{keys}</kbd>}
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
  // Who comes for the first time needs the room for what they have to know.
  if (!recent || recent.length === 0) return null
  return (
    <section aria-label={labels.recent} className="min-w-0">
      <h2 className="mb-2 font-semibold">{labels.recent}</h2>
      <ul className="divide-y divide-line rounded-md border border-line bg-raised">
        {recent.map((project) => (
          <li key={project.path} className="group flex items-center pr-1 hover:bg-hover">
            <button
              type="button"
              className="flex min-w-0 flex-1 items-center gap-3 px-3 py-2 text-left"
              onClick={() => onOpen(project.path)}
            >
              <Folder size={15} aria-hidden className="shrink-0 text-muted" />
              <span className="min-w-0 flex-1">
                <span className="flex items-baseline gap-2">
                  <span className="shrink-0 font-semibold">
                    <VisibleText text={project.name} />
                  </span>
                  {project.gitHead && (
                    <span className="truncate text-muted text-xs">
                      <VisibleText text={project.gitHead} />
                    </span>
                  )}
                </span>
                <span className="block truncate text-muted text-xs" dir="auto">
                  <VisibleText text={project.summary?.lastTask ?? project.path} />
                </span>
              </span>
              {project.summary && <SummaryMarks summary={project.summary} />}
              <span
                className="hidden w-16 shrink-0 text-right text-muted text-xs tabular-nums sm:inline"
                title={`${project.path}\n${formatDate(project.openedAt)}`}
              >
                {formatAgo(project.openedAt, Date.now())}
              </span>
            </button>
            <IconButton
              label={labels.forget(project.name)}
              className="opacity-0 focus-visible:opacity-100 group-hover:opacity-100"
              onClick={() => void forget(project.path)}
            >
              <X size={14} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What waits, what works and what it cost. Nothing is said of nothing. */
function SummaryMarks({ summary: { waiting, working, costOfWeek } }: { summary: ProjectSummary }): ReactNode {
  return (
    <span className="flex shrink-0 items-center gap-3 text-xs tabular-nums">
      {waiting > 0 && <span className="font-medium text-warn">{labels.waiting(waiting)}</span>}
      {working > 0 && <span className="text-accent">{labels.working(working)}</span>}
      {costOfWeek !== null && costOfWeek > 0 && (
        <span title={labels.costHint} className="text-muted max-sm:hidden">
          {labels.costOfWeek(formatMoney(costOfWeek))}
        </span>
      )}
    </span>
  )
}
