import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { ProjectId } from '#shared/model/ids.ts'
import type { Client } from '../connection/connection.ts'
import { type Refusal, refusalOf } from '../connection/refusal.ts'
import type { Session } from '../session/session.ts'
import type { AppState } from '../store/app-state.ts'
import type { UiState } from '../store/ui-state.ts'

const SessionContext = createContext<Session | null>(null)

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }): ReactNode {
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The session of the window. Throws outside a `SessionProvider`. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('A screen was used outside of its session.')
  return session
}

/** Selects a part of the state. Renders again only when that part has another value. */
export function useApp<Value>(selector: (state: AppState) => Value): Value {
  return useStore(useSession().store, selector)
}

/** Like `useApp`, for selectors that build a new list each time. Renders again only if an item changed. */
export function useAppList<Value>(selector: (state: AppState) => Value): Value {
  return useStore(useSession().store, useShallow(selector))
}

export function useClient(): Client {
  return useSession().client
}

/** Returns a function that changes what the person looks at. */
export function useUpdateUi(): (change: (ui: UiState) => UiState) => void {
  return useSession().updateUi
}

/** The open project's id; empty without a project, when no screen of a workspace is shown. */
export function useProjectId(): ProjectId {
  const projectInfo = useApp((state) => state.projectInfo)
  return projectInfo?.id ?? ('' as ProjectId)
}

/** A running command, and why the last one was refused. `run` resolves with whether the command was carried out. */
export interface Command {
  readonly busy: boolean
  readonly refusal: Refusal | null
  run(action: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

/** Runs commands one after the other and keeps the refusal of the last. */
export function useCommand(): Command {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const run = useCallback(async (action: () => Promise<unknown>) => {
    setBusy(true)
    setRefusal(null)
    try {
      await action()
      return true
    } catch (error) {
      setRefusal(refusalOf(error))
      return false
    } finally {
      setBusy(false)
    }
  }, [])
  return { busy, refusal, run, clear: useCallback(() => setRefusal(null), []) }
}

const between = 250

/**
 * Like `useApp`, but updates at most four times a second, for lists of hundreds of agents that change at every frame.
 * The first change after a pause is seen at once.
 */
export function useAppSlowly<Value>(selector: (state: AppState) => Value): Value {
  const { store } = useSession()
  const [value, setValue] = useState(() => selector(store.getState()))
  const latest = useRef(selector)
  useEffect(() => {
    latest.current = selector
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let looked = 0
    const look = (): void => {
      timer = undefined
      looked = performance.now()
      setValue(() => latest.current(store.getState()))
    }
    const onChange = (): void => {
      timer ??= setTimeout(look, Math.max(0, looked + between - performance.now()))
    }
    onChange()
    const unsubscribe = store.subscribe(onChange)
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [store])
  return value
}
