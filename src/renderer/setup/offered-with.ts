import type { SetupView } from '#shared/contract/views/setup.ts'
import type { Accepted } from './use-setup-actions.ts'

/** What the person has accepted beside the setup, with what is proposed where they did not decide. */
export function offeredWith({ scripts, accepted }: Pick<SetupView, 'scripts' | 'accepted'>): Accepted {
  return {
    archive: accepted.archive ?? scripts.archive?.command ?? null,
    variables: { ...scripts.variables, ...accepted.variables },
  }
}

/** True when there is something to decide about. */
export function offersScripts({ scripts }: Pick<SetupView, 'scripts'>): boolean {
  return scripts.archive !== null || Object.keys(scripts.variables).length > 0
}
