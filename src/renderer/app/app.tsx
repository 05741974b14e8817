import { Unplug } from 'lucide-react'
import { type CSSProperties, type ReactNode, Suspense, useEffect } from 'react'
import { Toaster } from 'sonner'
import { HomeScreen } from '../home/home-screen.tsx'
import { KeyList } from '../parts/key-list.tsx'
import { SessionProvider, useApp, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import { isMac } from '../state/preferences/keymap.ts'
import type { Session } from '../state/session/session.ts'
import { startUp } from '../state/session/start-up.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { Boundary } from '../ui/react/boundary.tsx'
import { useMedia } from '../ui/react/observers.ts'
import { Announcer, useAttention } from './attention.tsx'
import { CommandPalette, ContextDialog, fetchPaletteSoon, MemoryScreen, RewindDialog, SettingsScreen } from './lazy.ts'
import { RefusedPage } from './lost-connection.tsx'
import { sidebarFits, useKeyboard } from './use-keyboard.ts'
import { Workspace } from './workspace.tsx'

const labels = strings.shell
/** Gives notes the colours of the page, and puts their close button at the end. */
const toastLooks = {
  fontFamily: 'inherit',
  '--toast-close-button-start': 'unset',
  '--toast-close-button-end': '0',
  '--toast-close-button-transform': 'translate(35%, -35%)',
  '--normal-bg': 'var(--raised)',
  '--normal-border': 'var(--line-strong)',
  '--normal-text': 'var(--text)',
} as CSSProperties
/** Fits into the sidebar as it is at first. */
const narrowToast = { ...toastLooks, '--width': '232px' } as CSSProperties

export function App({ session }: { session: Session }): ReactNode {
  useEffect(() => {
    void startUp(session)
  }, [session])
  return (
    <Boundary fallback={(message) => <Crashed message={message} />}>
      <SessionProvider session={session}>
        <Toasts />
        <Screens />
      </SessionProvider>
    </Boundary>
  )
}

/**
 * Notes lie over the sidebar, where they cover no button. Without a sidebar they are at the top. They come first in the
 * page, so that Tab has somewhere to go behind them.
 */
function Toasts(): ReactNode {
  useWayOut('[data-sonner-toaster]')
  const fits = useMedia(sidebarFits)
  const hasSidebar = useApp(
    ({ ui, projectInfo }) =>
      ui.route === 'settings' || (ui.sidebar && projectInfo !== null && ui.route === 'workspace'),
  )
  return (
    <Toaster
      position={fits && hasSidebar ? 'bottom-left' : 'top-center'}
      offset={fits && hasSidebar ? { bottom: 36, left: 8 } : 56}
      mobileOffset={56}
      style={fits && hasSidebar ? narrowToast : toastLooks}
      visibleToasts={fits && hasSidebar ? 3 : 1}
      closeButton
    />
  )
}

/**
 * Lets Tab go on behind the notes. They give the focus back to where it came from, which would hold somebody between
 * the notes and the part before them.
 */
function useWayOut(notes: string): void {
  useEffect(() => {
    function goOn({ target, relatedTarget }: FocusEvent): void {
      if (!(target instanceof Element && relatedTarget instanceof HTMLElement)) return
      if (target.closest(notes) && !relatedTarget.closest(notes)) setTimeout(() => relatedTarget.focus())
    }
    document.addEventListener('focusout', goOn)
    return () => document.removeEventListener('focusout', goOn)
  }, [notes])
}

function Screens(): ReactNode {
  const { updateUi } = useSession()
  const connection = useApp((state) => state.connection)
  const known = useApp((state) => state.info !== null)
  const starting = useApp((state) => state.starting)
  const route = useApp((state) => state.ui.route)
  const hasProject = useApp((state) => state.projectInfo !== null)
  useKeyboard()
  useAttention()
  if (connection === 'refused') return <RefusedPage />
  if (!known) return <FullPage title={labels.connectingTitle} detail={labels.connectingDetail} />
  if (starting) return <FullPage title={labels.openingTitle} detail={labels.openingDetail} />
  if (route === 'settings') {
    return <SettingsRoute onBack={() => updateUi((ui) => ({ ...ui, route: hasProject ? 'workspace' : 'home' }))} />
  }
  return (
    <>
      {hasProject ? <Workspace /> : <HomeScreen />}
      <Overlays />
      <Announcer />
    </>
  )
}

function FullPage({ title, detail }: { title: string; detail: string }): ReactNode {
  return (
    <main className="pt-[20vh]">
      <Empty icon={<Unplug size={28} aria-hidden />} title={title} detail={detail} />
    </main>
  )
}

/** The parts that can lie over the page: the palette, the shortcuts, the context, the rewind dialog. */
function Overlays(): ReactNode {
  const overlay = useApp((state) => state.ui.overlay)
  const updateUi = useUpdateUi()
  const close = (): void => updateUi((ui) => ({ ...ui, overlay: 'none' }))
  useEffect(fetchPaletteSoon, [])
  if (overlay === 'none') return null
  if (overlay === 'keys') {
    return (
      <Dialog plain title={strings.shell.keyboardHelp} closeLabel={strings.common.close} onClose={close}>
        <KeyList mac={isMac} />
      </Dialog>
    )
  }
  return (
    <Suspense>
      {overlay === 'context' && <ContextDialog onClose={close} />}
      {overlay === 'rewind' && <RewindDialog onClose={close} />}
      {(overlay === 'files' || overlay === 'palette') && (
        <CommandPalette onlyFiles={overlay === 'files'} onClose={close} />
      )}
    </Suspense>
  )
}

function SettingsRoute({ onBack }: { onBack: () => void }): ReactNode {
  return (
    <Suspense fallback={<p className="p-4 text-muted">{strings.common.loading}</p>}>
      <SettingsScreen mac={isMac} onBack={onBack} slots={{ memory: <MemoryScreen /> }} />
    </Suspense>
  )
}

/** Shown when the whole window throws. Nothing is lost, because the host keeps everything. */
function Crashed({ message }: { message: string }): ReactNode {
  return (
    <main role="alert" className="pt-[20vh]">
      <Empty
        title={labels.crashTitle}
        detail={`${labels.crashDetail} (${message})`}
        action={<Button onClick={() => location.reload()}>{labels.reload}</Button>}
      />
    </main>
  )
}
