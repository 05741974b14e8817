import { expect, it } from 'vitest'
import { emptyTree } from '#overlay'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import { createStore, createTestServices } from '../agent-services.testkit.ts'
import type { ProcessTrial } from '../processes/process-trial.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { generalPurpose } from '../types/agent-definition.ts'
import { createAgentView } from './agent-view.ts'

/** Mutation: leave out the sleep in `look`. */
it('asks which changes belong to another call after it has read what the agent told during the look', async () => {
  const services = await createTestServices(createStore(), {})
  const path = '/a.txt' as VirtualPath
  let isRead = false
  const trial = {
    ...{ tree: emptyTree, hidden: { paths: [] } },
    // What the agent told is there when the look ends, and is read in the next turn of the event loop.
    async look() {
      setImmediate(() => {
        isRead = true
      })
      return { changes: [{ kind: 'file', path, bytes: new Uint8Array([1]), executable: false }] }
    },
  } as unknown as ProcessTrial
  const clock = { ...services.clock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
  const view = createAgentView({
    services: { ...services, clock },
    branchId: 'branch' as BranchId,
    trial,
    access: fileAccess(policyOf(services, generalPurpose)),
  })
  const asked: boolean[] = []
  await view.look(() => {
    asked.push(isRead)
    return true
  })
  expect(asked).toEqual([true])
})
