import { useEffect } from 'react'
import type { WindowRequest } from '#shared/contract/views/window.ts'
import { refusalOf } from '../state/connection/refusal.ts'
import { useApp, useSession } from '../state/hooks/hooks.tsx'
import { readTheme } from '../state/preferences/theme.ts'
import { followStream } from '../state/session/follow-stream.ts'
import type { Session } from '../state/session/session.ts'
import { strings } from '../strings/strings.ts'
import { toastProblem } from '../ui/controls/toast.ts'
import { answerNotification } from './notifications.ts'
import { runCommand } from './run-command.ts'

/** Follows what the host says to the whole window: updates, and on the desktop what the app around it asks. */
export function useHost(): void {
  const session = useSession()
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  useEffect(() => {
    const { store, client } = session
    return followStream({
      store,
      open: (signal) => client.updates.follow(undefined, { signal }),
      take: (update) => store.setState({ update }),
    })
  }, [session])
  useEffect(() => (isDesktop ? followApp(session) : undefined), [session, isDesktop])
}

function followApp(session: Session): () => void {
  const { store, client } = session
  const stop = followStream({
    store,
    open: (signal) => client.window.requests(undefined, { signal }),
    take: (request) => obey(session, request),
  })
  const tellTheme = (): void => void client.window.setTheme({ theme: readTheme(localStorage) }).catch(() => undefined)
  tellTheme()
  // Several screens change the theme. All of them change this attribute.
  const watcher = new MutationObserver(tellTheme)
  watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => {
    stop()
    watcher.disconnect()
  }
}

function obey(session: Session, request: WindowRequest): void {
  switch (request.type) {
    case 'command':
      runCommand(session, request.command)
      return
    case 'open':
      session
        .openProject({ kind: 'folder', path: request.path })
        .catch((error: unknown) => toastProblem(strings.home.notOpened, refusalOf(error).message))
      return
    case 'answered':
      answerNotification(request.id, request.answer)
      return
    case 'leaving':
      session.store.setState({ leaving: request.working })
      return
  }
}
