import { Unplug } from 'lucide-react'
import { type ReactNode, Suspense, useEffect } from 'react'
import { LeavingLine, OpeningLine, UpdateLine } from '../about/app-lines.tsx'
import { HomeScreen } from '../home/home-screen.tsx'
import { KeyList } from '../parts/key-list.tsx'
import { KeyForm } from '../settings/key-form.tsx'
import { SessionProvider, useApp, useSession, useUpdateUi } from '../state/hooks/hooks.tsx'
import { isMac } from '../state/preferences/keymap.ts'
import type { Session } from '../state/session/session.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { Boundary } from '../ui/react/boundary.tsx'
import { useLate } from '../ui/react/use-late.ts'
import { Announcer, useAttention } from './attention.tsx'
import {
  AboutScreen,
  ChecksScreen,
  CommandPalette,
  ContextDialog,
  FoldersDialog,
  fetchNextSoon,
  MemoryScreen,
  RewindDialog,
  SettingsScreen,
  SetupScreen,
} from './lazy.ts'
import { RefusedPage } from './lost-connection.tsx'
import { OpenFolder } from './open-folder.tsx'
import { Toasts } from './toasts.tsx'
import { useHost } from './use-host.ts'
import { useKeyboard } from './use-keyboard.ts'
import { Workspace } from './workspace.tsx'

const labels = strings.shell
export function App({ session }: { session: Session }): ReactNode {
  return (
    <Boundary fallback={(message) => <Crashed message={message} />}>
      <SessionProvider session={session}>
        <Toasts />
        <Screens />
      </SessionProvider>
    </Boundary>
  )
}

function Screens(): ReactNode {
  const { updateUi } = useSession()
  const connection = useApp((state) => state.connection)
  const known = useApp((state) => state.info !== null)
  const starting = useApp((state) => state.starting)
  const route = useApp((state) => state.ui.route)
  const projectId = useApp((state) => state.projectInfo?.id ?? null)
  useKeyboard()
  useAttention()
  useHost()
  if (connection === 'refused') return <RefusedPage />
  if (!known) return <Starting title={labels.connectingTitle} detail={labels.connectingDetail} />
  if (starting) {
    return (
      <>
        <OpeningLine />
        <Starting title={labels.openingTitle} detail={labels.openingDetail} />
      </>
    )
  }
  if (route === 'settings') {
    return <SettingsRoute onBack={() => updateUi((ui) => ({ ...ui, route: projectId ? 'workspace' : 'home' }))} />
  }
  return (
    <div className="flex h-full flex-col">
      <LeavingLine />
      <UpdateLine />
      <OpeningLine />
      <div className="min-h-0 flex-1">
        {/* A project begins with nothing that was typed or chosen in another one. */}
        {projectId ? <Workspace key={projectId} /> : <HomeScreen keyForm={keyForm} />}
      </div>
      <Overlays />
      <Announcer />
    </div>
  )
}

/** The form for a key is the one of the settings. */
const keyForm = (onReady: () => void): ReactNode => <KeyForm onReady={onReady} readyLabel={strings.common.save} />

/** Milliseconds for which the frame of the window, which the page begins with, says enough. */
const quietFor = 1_000

function Starting({ title, detail }: { title: string; detail: string }): ReactNode {
  const isLate = useLate(quietFor)
  if (!isLate) return null
  return (
    <main className="pt-[20vh]">
      <Empty icon={<Unplug size={28} aria-hidden />} title={title} detail={detail} />
    </main>
  )
}

/** The parts that can lie over the page: the palette, the shortcuts, the context, the folders, the rewind dialog. */
function Overlays(): ReactNode {
  const overlay = useApp((state) => state.ui.overlay)
  const updateUi = useUpdateUi()
  const close = (): void => updateUi((ui) => ({ ...ui, overlay: 'none' }))
  useEffect(fetchNextSoon, [])
  if (overlay === 'none') return null
  if (overlay === 'keys') {
    return (
      <Dialog plain title={strings.shell.keyboardHelp} closeLabel={strings.common.close} onClose={close}>
        <KeyList mac={isMac} />
      </Dialog>
    )
  }
  if (overlay === 'folder') return <OpenFolder onClose={close} />
  return (
    <Suspense>
      {overlay === 'context' && <ContextDialog onClose={close} />}
      {overlay === 'folders' && <FoldersDialog onClose={close} />}
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
      <SettingsScreen
        mac={isMac}
        onBack={onBack}
        slots={{
          memory: <MemoryScreen />,
          setup: <SetupScreen />,
          checks: <ChecksScreen />,
          about: <AboutScreen />,
        }}
      />
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
