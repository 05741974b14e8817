import { useMemo } from 'react'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { ModelsView, ProfileView } from '#shared/contract/views/models.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import type { Refusal } from '../../state/connection/refusal.ts'
import { type Command, useApp, useCommand, useSession } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'

/** The profiles, and how to change them. */
export interface Models {
  /** Null until the host has answered. */
  readonly view: ModelsView | null
  /** Why there is no view. */
  readonly failure: Refusal | null
  readonly command: Command
  /** The models of all profiles, by id. */
  readonly known: ReadonlyMap<string, ModelChoice>
  /** Runs a command and shows what it changed everywhere. Resolves with whether it was carried out. */
  act(action: () => Promise<unknown>): Promise<boolean>
  /** Call after something changed that this does not know of. */
  reload(): Promise<void>
}

const noModels: readonly ModelChoice[] = []

/** @param text of the settings file. Profiles are asked for again when it changes. */
export function useModels(text: string, onChanged: () => void): Models {
  const session = useSession()
  const command = useCommand()
  const [loaded, again] = useQuery('models.get', undefined, text)
  const models = useApp((state) => state.info?.provider.models ?? noModels)
  const known = useMemo(() => new Map(models.map((model) => [model.id, model])), [models])
  const reload = async (): Promise<void> => {
    await session.refreshInfo()
    again()
    onChanged()
  }
  return {
    view: loaded.value,
    failure: loaded.state === 'failed' ? loaded.refusal : null,
    command,
    known,
    reload,
    act: (action) =>
      command.run(async () => {
        await action()
        await reload()
      }),
  }
}

/**
 * What the profile's server calls a model. Models of the built-in profile go by their own names while it is the usual
 * one; all others have the profile before a slash.
 */
export function serverName({ name, usual }: Pick<ProfileView, 'name' | 'usual'>, id: string): string {
  if (usual && name === builtInProfile) return id
  return id.startsWith(`${name}/`) ? id.slice(name.length + 1) : id
}
