import { activeBranches } from '../store/selectors.ts'
import { useAppList } from './hooks.tsx'

/** Returns a function that names the agent of a handle of the open family. A handle that is unknown stays as it is. */
export function useHandleNames(): (handle: string) => string {
  const branches = useAppList(activeBranches)
  return (handle) => branches.find((branch) => branch.handle === handle)?.name ?? handle
}
