import type { SetupDefinition } from '#shared/model/setup.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'

/** What a person accepts beside the setup itself. */
export interface Accepted {
  readonly archive: string | null
  readonly variables: Record<string, string>
}

/** What a person can do about the setup of the open project. Each asks for its state again. */
export function useSetupActions(reload: () => void) {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const act = (action: () => Promise<unknown>): void =>
    void command.run(async () => {
      await action()
      reload()
    })
  return {
    ...command,
    save: ({ command: line, inputs, hosts }: SetupDefinition, accepted: Partial<Accepted> = {}) =>
      act(() => client.setup.save({ projectId, command: line, inputs: [...inputs], hosts: [...hosts], ...accepted })),
    acceptScripts: ({ archive, variables }: Accepted) =>
      act(() => client.setup.acceptScripts({ projectId, archive, variables: { ...variables } })),
    start: () => act(() => client.setup.start({ projectId })),
    cancel: () => act(() => client.setup.cancel({ projectId })),
    remove: () => act(() => client.setup.remove({ projectId })),
    decline: () => act(() => client.setup.decline({ projectId })),
    showFiles: (paths: readonly VirtualPath[]) => act(() => client.setup.showFiles({ projectId, paths: [...paths] })),
    allow: (hosts: readonly string[]) => act(() => client.setup.allowHosts({ projectId, hosts: [...hosts] })),
  }
}
