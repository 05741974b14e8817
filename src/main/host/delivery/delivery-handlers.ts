import { findApplyTarget } from '#core/commands/apply.ts'
import { unwrap } from '#core/commands/command.ts'
import { findDeliveries } from '#core/delivery/find-deliveries.ts'
import type { ProgramEvent } from '#shared/contract/views/deliveries.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { findLeftInGit } from '../changes/left-in-git.ts'
import { deliver, undoDelivery } from './deliver.ts'
import { deliverFromAgents } from './deliver-from-agents.ts'
import { openHooks, takeHooks } from './hooks.ts'
import { prepareDeliveries } from './prepare-delivery.ts'
import { proposeMessages } from './propose-messages.ts'
import { openPublishing } from './publish.ts'

/** A person's commands on the way from a workspace to a branch of git. */
export function deliveryHandlers(os: Implementer, { projects }: HostParts) {
  return {
    plan: os.deliveries.plan.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      using opened = new DisposableStack()
      const prepared = await prepareDeliveries(project, input, opened)
      const { commits: ofAgents } = await findLeftInGit(project, input.branchId)
      return { plans: prepared.map(({ plan }) => plan), ofAgents }
    }),
    propose: os.deliveries.propose.handler(({ input, signal }) =>
      proposeMessages(projects.get(input.projectId), input, signal),
    ),
    // Refuse before the stream starts. An error inside a stream does not reach the client as a refusal.
    runHooks: os.deliveries.runHooks.handler(async ({ input, signal }) => {
      const run = await openHooks(projects.get(input.projectId), input)
      return eventsOf(run, signal)
    }),
    takeHooks: os.deliveries.takeHooks.handler(({ input }) =>
      takeHooks(projects.get(input.projectId), input.branchId, input.run),
    ),
    make: os.deliveries.make.handler(({ input, signal }) =>
      deliver(projects.get(input.projectId), { ...input, signal }),
    ),
    makeFromAgents: os.deliveries.makeFromAgents.handler(({ input }) =>
      deliverFromAgents(projects.get(input.projectId), input),
    ),
    undo: os.deliveries.undo.handler(({ input }) =>
      undoDelivery(projects.get(input.projectId), input.branchId, input.sequence),
    ),
    list: os.deliveries.list.handler(({ input }) => {
      const { log } = projects.get(input.projectId).services
      return findDeliveries(log, unwrap(findApplyTarget(log, input.branchId)).threadId)
    }),
    publish: os.deliveries.publish.handler(async ({ input, signal }) => {
      const run = openPublishing(projects.get(input.projectId), input)
      return eventsOf(run, signal)
    }),
  }
}

type Run<End> = (onOutput: (text: string) => void, signal: AbortSignal) => Promise<End>

/** The programs end when the reader goes away. */
async function* eventsOf<End>(run: Run<End>, signal: AbortSignal | undefined): AsyncGenerator<ProgramEvent<End>, void> {
  const ending = new AbortController()
  const stop = () => ending.abort()
  signal?.addEventListener('abort', stop, { once: true })
  const events = new ReadableStream<ProgramEvent<End>>({
    start(controller) {
      run((text) => controller.enqueue({ kind: 'output', text }), ending.signal).then(
        (end) => {
          controller.enqueue({ kind: 'ended', end })
          controller.close()
        },
        (error: unknown) => controller.error(error),
      )
    },
  })
  try {
    yield* events.values({ preventCancel: true })
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}
