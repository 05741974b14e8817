import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { openApplyWorld } from './apply-world.testkit.ts'

const count = 300
const context = { context: {} }

it('an apply cancelled during the write leaves nothing behind, is reported, and can start again', async () => {
  await using world = await openApplyWorld({ '/a': 'a' })
  await world.write(Object.fromEntries(Array.from({ length: count }, (_, index) => [`/new/${index}`, `${index}`])))
  const { changes } = world.host.router
  const input = { projectId: world.project.info().id, branchId: world.branchId, paths: null }
  const cancel = () => call(changes.cancelApply, input, context)
  await cancel()
  {
    using _ = world.project.events.listen(({ type }) => void (type === 'apply.progress' && cancel()))
    await expect(call(changes.apply, input, context)).rejects.toMatchObject({ code: 'CANCELLED' })
  }
  expect(existsSync(join(world.folder, 'new'))).toBe(false)
  expect(world.types()).toEqual(['apply.started', 'apply.failed'])
  expect((await call(changes.apply, input, context)).written).toHaveLength(count)
})
