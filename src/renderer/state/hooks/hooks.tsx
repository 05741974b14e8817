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

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('A screen was used outside of its session.')
  return session
}

export function useApp<Value>(selector: (state: AppState) => Value): Value {
  return useStore(useSession().store, selector)
}

/** For selectors that build a new list each time: compares its items. */
export function useAppList<Value>(selector: (state: AppState) => Value): Value {
  return useStore(useSession().store, useShallow(selector))
}

export function useClient(): Client {
  return useSession().client
}

export function useUpdateUi(): (change: (ui: UiState) => UiState) => void {
  return useSession().updateUi
}

/** The open project's id; screens of the workspace are not shown without one. */
export function useProjectId(): ProjectId {
  const projectInfo = useApp((state) => state.projectInfo)
  return projectInfo?.id ?? ('' as ProjectId)
}

/** A command with its refusal: `run` answers whether it was carried out. */
export interface Command {
  readonly busy: boolean
  readonly refusal: Refusal | null
  run(action: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

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
 * The state as it was a quarter of a second ago at most: for lists of hundreds of agents, of which some change at every
 * frame. The first change after a while is seen at once.
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
    const changed = (): void => {
      timer ??= setTimeout(look, Math.max(0, looked + between - performance.now()))
    }
    changed()
    const unsubscribe = store.subscribe(changed)
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [store])
  return value
}
