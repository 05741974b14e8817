import { createOverlayTransaction, type Tree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import { isPersonal } from '#shared/model/calls/hooks.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { environmentOf } from '../../branches/branch-trees.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import { keepLast } from '../runtime/keep-last.ts'
import type { Hook } from '../types/extensions.ts'
import type { AgentServices } from '../types/services.ts'
import type { AgentTuning } from '../types/tuning.ts'
import { type AgentStages, createAgentStages } from './agent-stages.ts'
import { createHookStage, type HookPlace, hookName } from './hook-stage.ts'
import { runInTrial } from './hook-trial.ts'
import { createLineStage } from './line-stage.ts'
import type { Stage } from './stage.ts'

interface StagesOptions {
  readonly tuning: AgentTuning
  /** The branch of the agent as it is now. */
  readonly tree: () => Tree
  /** What programs may see that nobody approved. */
  readonly access: () => FileAccess
}

/** The stages of one agent: the programs of `middleware`, and then the hooks as they are now. */
export function stagesOf(services: AgentServices, thread: () => ThreadState, options: StagesOptions): AgentStages {
  const programs = options.tuning.programs.map((one) => createLineStage(services.programs, one))
  const asked = new Set<string>()
  const list = keepLast((hooks: readonly Hook[]): readonly Stage[] => [
    ...programs,
    ...hooks.map((hook) => createHookStage(hook, placeOf(services, thread, options, hook, asked))),
  ])
  return createAgentStages(() => list(services.hooks.active()), thread, {
    begins: () => services.hooks.begins(thread().id),
    waiting: () =>
      services.hooks.waiting().map((hook) => ({ by: hookName(hook), source: hook.source, problem: waitingText })),
  })
}

const waitingText =
  'It did not run: a hook of the project needs your word first, and again when it changes. Settings → Hooks has it, and so has coppice hooks.'

/** Where a hook runs: the person's own on the machine, all others in the sandbox, over the files of the branch. */
function placeOf(
  services: AgentServices,
  thread: () => ThreadState,
  { tree, access }: StagesOptions,
  hook: Hook,
  asked: Set<string>,
): HookPlace {
  const { place, log, hooks } = services
  const { id, branchId } = thread()
  const shared = {
    wasAsked: ({ hash }: Hook) => asked.has(hash),
    report: (one: Hook, problem: string | null) => hooks.report(one, problem),
  }
  const session = (cwd: string): JsonObject => ({
    ...{ session_id: rootThreadOf(log.state, id), transcript_path: '', cwd },
  })
  if (isPersonal(hook.source)) {
    return {
      ...shared,
      session: session(place.folder ?? ''),
      folders: place,
      run(one, message, _question, signal) {
        asked.add(one.hash)
        return hooks.run(one, message, signal)
      },
    }
  }
  return {
    ...shared,
    ...runInTrial(services, session, (given) => {
      asked.add(hook.hash)
      const { base, blobs, hashing } = services
      return {
        owner: `${branchId} hook ${services.ids.next()}`,
        branch: createOverlayTransaction({ base, blobs, hashing, tree: given ?? tree() }),
        access: access(),
        environment: environmentOf(log.trees, branchId),
        lifetime: 'once',
      }
    }),
  }
}
