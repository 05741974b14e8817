import { type ReactNode, Suspense, useCallback, useEffect, useRef } from 'react'
import { Group, Panel, useDefaultLayout } from 'react-resizable-panels'
import { ChecksBar } from '../checks/checks-bar.tsx'
import { DamageCard, TrustCard, WithinCard } from '../home/project-notices.tsx'
import { Divider } from '../parts/divider.tsx'
import { RegionBoundary } from '../parts/region-boundary.tsx'
import { SetupBar } from '../setup/setup-bar.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { createLayoutStorage } from '../state/preferences/saved-window.ts'
import { strings } from '../strings/strings.ts'
import { useMarkSeen } from '../threads/use-seen-threads.ts'
import { useMedia } from '../ui/react/observers.ts'
import { Centre } from './centre.tsx'
import { TerminalPanel } from './lazy.ts'
import { ConnectionBanner } from './lost-connection.tsx'
import { inspectorFitsBeside, sidebarFits } from './side-widths.ts'
import { Inspector, Sidebar } from './sides.tsx'
import { StatusBar } from './status-bar.tsx'
import { TopBar } from './top-bar.tsx'

const labels = strings.shell
const layouts = createLayoutStorage(localStorage)

/** The window of an open project. In a narrow one the sides lie over the centre. */
export function Workspace(): ReactNode {
  const medium = useMedia(sidebarFits)
  useMarkSeen()
  const { sidebar, inspector, drawer, tab } = useApp((state) => state.ui)
  const wide = useMedia(inspectorFitsBeside(tab))
  const panels = ['centre', ...(sidebar && medium ? ['sidebar'] : []), ...(inspector && wide ? ['inspector'] : [])]
  const layout = useDefaultLayout({ id: 'coppice-columns', panelIds: panels, storage: layouts })
  return (
    <div className="flex h-full flex-col">
      <TopBar />
      <ConnectionBanner />
      <DamageCard />
      <WithinCard />
      <TrustCard />
      <SetupBar>
        <ChecksBar />
      </SetupBar>
      <main className="relative flex min-h-0 flex-1">
        <Group orientation="horizontal" className="flex-1" {...layout}>
          {sidebar && medium && (
            <>
              <Panel
                id="sidebar"
                defaultSize={248}
                minSize={180}
                maxSize={420}
                groupResizeBehavior="preserve-pixel-size"
              >
                <Sidebar />
              </Panel>
              <Divider label={labels.resizeSidebar} />
            </>
          )}
          <Panel id="centre" minSize={280}>
            <CentreColumn />
          </Panel>
          {inspector && wide && (
            <>
              <Divider label={labels.resizeInspector} />
              <Panel
                id="inspector"
                defaultSize={312}
                minSize={240}
                maxSize={480}
                groupResizeBehavior="preserve-pixel-size"
              >
                <Inspector />
              </Panel>
            </>
          )}
        </Group>
        {!medium && <Drawer side="left" open={drawer === 'sidebar'} content={<Sidebar />} />}
        {!wide && <Drawer side="right" open={drawer === 'inspector'} content={<Inspector />} />}
      </main>
      <StatusBar />
    </div>
  )
}

function CentreColumn(): ReactNode {
  const bottom = useApp((state) => state.ui.bottom)
  const panels = bottom ? ['main', 'bottom'] : ['main']
  const layout = useDefaultLayout({ id: 'coppice-rows', panelIds: panels, storage: layouts })
  return (
    <Group orientation="vertical" className="h-full" {...layout}>
      <Panel id="main" minSize={160} className="flex! flex-col">
        <Centre />
      </Panel>
      {bottom && (
        <>
          <Divider label={labels.resizeTerminal} orientation="horizontal" />
          <Panel id="bottom" defaultSize={240} minSize={100}>
            <Suspense fallback={<p className="p-3 text-muted">{strings.common.loading}</p>}>
              <RegionBoundary>
                <TerminalPanel />
              </RegionBoundary>
            </Suspense>
          </Panel>
        </>
      )}
    </Group>
  )
}

interface DrawerProps {
  readonly side: 'left' | 'right'
  readonly open: boolean
  readonly content: ReactNode
}

function Drawer({ side, open, content }: DrawerProps): ReactNode {
  const updateUi = useUpdateUi()
  const panel = useRef<HTMLDivElement>(null)
  const close = useCallback(() => updateUi((ui) => ({ ...ui, drawer: 'none' })), [updateUi])
  useEffect(() => {
    const element = panel.current
    if (!open || !element) return
    element.querySelector<HTMLElement>('[data-region]')?.focus()
    const onKeyDown = (event: KeyboardEvent): void => void (event.key === 'Escape' && close())
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [open, close])
  if (!open) return null
  return (
    <>
      <button
        type="button"
        aria-label={strings.common.close}
        onClick={close}
        className="absolute inset-0 z-20 bg-[rgb(0_0_0/0.3)]"
      />
      <div
        ref={panel}
        className={`absolute inset-y-0 z-30 w-[min(20rem,86vw)] border-line bg-panel ${side === 'left' ? 'left-0 border-r' : 'right-0 border-l'}`}
      >
        {content}
      </div>
    </>
  )
}
