import { Unplug } from 'lucide-react'
import { type CSSProperties, type ReactNode, useEffect } from 'react'
import { Toaster } from 'sonner'
import { HomeScreen } from '../home/home-screen.tsx'
import { SessionProvider, useApp, useSession } from '../state/hooks.tsx'
import type { Session } from '../state/session.ts'
import { strings } from '../state/strings.ts'
import { Empty } from '../ui/notice.tsx'
import { useMedia } from '../ui/use-media.ts'
import { Announcer } from './announcer.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Overlays } from './overlays.tsx'
import { SettingsRoute } from './settings-route.tsx'
import { startUp } from './start-up.ts'
import { useAttention } from './use-attention.ts'
import { sidebarFits, useKeyboard } from './use-keyboard.ts'
import { Workspace } from './workspace.tsx'

const labels = strings.shell
/** Colours of the page, and the button that closes at the end of the line. */
const toastLooks = {
  '--toast-close-button-start': 'unset',
  '--toast-close-button-end': '0',
  '--toast-close-button-transform': 'translate(35%, -35%)',
  '--normal-bg': 'var(--raised)',
  '--normal-border': 'var(--line-strong)',
  '--normal-text': 'var(--text)',
} as CSSProperties

export function App({ session }: { session: Session }): ReactNode {
  useEffect(() => {
    void startUp(session)
  }, [session])
  return (
    <ErrorBoundary>
      <SessionProvider session={session}>
        <Screens />
        <Toasts />
      </SessionProvider>
    </ErrorBoundary>
  )
}

/** Where the sides do not fit, the bottom of the window is the message box: notes go to the top. */
function Toasts(): ReactNode {
  const wide = useMedia(sidebarFits)
  return (
    <Toaster
      position={wide ? 'bottom-right' : 'top-center'}
      offset={40}
      mobileOffset={56}
      style={toastLooks}
      closeButton
    />
  )
}

function Screens(): ReactNode {
  const { updateView } = useSession()
  const connection = useApp((state) => state.connection)
  const known = useApp((state) => state.info !== null)
  const route = useApp((state) => state.view.route)
  const hasProject = useApp((state) => state.project !== null)
  useKeyboard()
  useAttention()
  if (connection === 'refused') return <FullPage title={labels.refusedTitle} detail={labels.refusedDetail} />
  if (!known) return <FullPage title={labels.connectingTitle} detail={labels.connectingDetail} />
  if (route === 'settings') {
    return (
      <SettingsRoute onBack={() => updateView((view) => ({ ...view, route: hasProject ? 'workspace' : 'home' }))} />
    )
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
