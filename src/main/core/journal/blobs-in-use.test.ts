import { describe, expect, it } from 'vitest'
import { testHashing } from '#overlay/testkit'
import type { BlobHash, MessageId } from '#shared/model/ids.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { byTask } from '../ports/model-client.testkit.ts'
import { blobsInUse } from './blobs-in-use.ts'
import { appendTo } from './project-log.testkit.ts'
import { rewindDrafts } from './rewind.ts'

const hashOf = (text: string): BlobHash => testHashing.hash(new TextEncoder().encode(text))
const pause = async () => {}
const day = 24 * 60 * 60 * 1000

async function usedIn(world: AgentWorld, texts: readonly string[], now = world.services.clock.now()) {
  const used = await blobsInUse(world.services.log, now, pause)
  return texts.filter((text) => used.has(hashOf(text)))
}

const write = (content: string) => ({ calls: [{ name: 'write_file', input: { file_path: '/a', content } }] })
const versions = ['base', 'first', 'second']
const open = () => openWorld({ files: { '/a': 'base' }, script: byTask({ main: [write('first'), write('second')] }) })

describe('content that is in use', () => {
  it("is every version that a person could return to, including the base's", async () => {
    const world = await open()
    const id = await world.run('main')
    expect(await usedIn(world, [...versions, 'never'])).toEqual(versions)
    const { log } = world.services
    const to = world.entries('checkpoint')[0]?.sequence ?? 0
    appendTo(
      log,
      rewindDrafts(log, {
        threadId: id,
        to,
        files: true,
        conversation: true,
        undoes: null,
        noticeId: 'n' as MessageId,
      }),
    )
    expect(await usedIn(world, versions), 'for the redo').toEqual(versions)
  })

  it('includes the prompt of every thread', async () => {
    const world = await open()
    const id = await world.run('main')
    const used = await blobsInUse(world.services.log, 0, pause)
    expect(used.has(world.thread(id).prompt?.frozen ?? '')).toBe(true)
  })

  it('includes that of a deleted thread while it can be restored', async () => {
    const world = await open()
    const id = await world.run('main')
    appendTo(world.services.log, [{ type: 'thread.deleted', threadId: id }])
    const now = world.services.clock.now()
    expect(await usedIn(world, versions, now + 7 * day)).toEqual(versions)
    expect(await usedIn(world, versions, now + 7 * day + 1)).toEqual([])
  })

  it('includes what another thread wrote too, even if one of them was deleted', async () => {
    const world = await openWorld({ script: byTask({ one: [write('shared')], two: [write('shared')] }) })
    const one = await world.run('one')
    await world.run('two')
    appendTo(world.services.log, [{ type: 'thread.deleted', threadId: one }])
    expect(await usedIn(world, ['shared'], world.services.clock.now() + 30 * day)).toEqual(['shared'])
  })

  it('lets other work run between two pieces', async () => {
    const world = await open()
    await world.run('main')
    let pauses = 0
    await blobsInUse(world.services.log, 0, async () => {
      pauses += 1
    })
    expect(pauses).toBeGreaterThan(0)
  })
})
