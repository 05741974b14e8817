import { useEffect } from 'react'
import type { SetupView } from '#shared/contract/views/setup.ts'
import { useApp } from './hooks.tsx'
import { useQuery } from './use-query.ts'

/** Milliseconds between two looks at a setup that runs. */
const lookEvery = 1000

/** The setup of the open project, and a function that asks for it again. Null before the first answer. */
export function useSetup(): readonly [SetupView | null, () => void] {
  const project = useApp((state) => state.projectInfo)
  const heard = useApp(({ live: { setup } }) => (setup ? `${setup.kind} ${'at' in setup ? setup.at : ''}` : ''))
  const version = `${heard} ${project?.trusted}`
  const [view, reload] = useQuery('setup.view', project && { projectId: project.id }, version)
  const isRunning = view.value?.state.kind === 'running'
  useEffect(() => {
    if (!isRunning) return
    const looking = setInterval(reload, lookEvery)
    return () => clearInterval(looking)
  }, [isRunning, reload])
  return [view.value, reload]
}
