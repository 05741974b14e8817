import { describe, expect, it } from 'vitest'
import type { Entry } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { ProjectId, ThreadId } from '#shared/model/ids.ts'
import { latestVersion } from '#shared/model/memory.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import { JournalError } from '../ports/journal.ts'
import { createMemoryUserMemories } from '../ports/stores/user-memories.testkit.ts'
import { createUserMemoryDelivery } from './user-memory-delivery.ts'

const project = { id: 'project' as ProjectId, name: 'tally' }
const head = { threadId: 'thread' as ThreadId, agent: 'main', callId: null }
const written = (sequence: number, text: string): Entry => ({
  ...{ type: 'user_memory.written', name: 'a.md', text, restores: null, ...head },
  ...{ sequence, at: sequence },
})

/** A store that can be out of reach. */
function open() {
  const store = createMemoryUserMemories()
  const problems: unknown[] = []
  let reachable = true
  const delivery = createUserMemoryDelivery(
    {
      ...store,
      record(writes, arrival) {
        if (!reachable) throw new JournalError('locked', 'Another program holds it.')
        store.record(writes, arrival)
      },
    },
    project,
    (error) => problems.push(error),
  )
  const texts = () => {
    const memory = store.current().get('a.md')
    return memory ? [memory.text, memory.versions.length] : null
  }
  const reach = (now: boolean) => {
    reachable = now
  }
  return { store, delivery, problems, texts, reach }
}

describe('the delivery of memories for all projects', () => {
  it('takes writes, deletions and uses, and nothing else', () => {
    const { store, delivery, texts } = open()
    delivery.take(written(1, 'one'))
    delivery.take({ type: 'user_memory.recalled', names: ['a.md'], threadId: head.threadId, sequence: 2, at: 2 })
    delivery.take({ type: 'memory.written', name: 'b.md', text: 'x', restores: null, ...head, sequence: 3, at: 3 })
    expect(store.current().get('a.md')?.used).toEqual({ at: 2, threadId: 'thread' })
    delivery.take({ type: 'user_memory.deleted', name: 'a.md', ...head, sequence: 4, at: 4 })
    expect([texts(), store.current().size]).toEqual([[null, 2], 1])
  })

  it('keeps every write that the store could not take, and brings it with the next one, in order', () => {
    const { delivery, problems, texts, reach } = open()
    reach(false)
    delivery.take(written(1, 'one'))
    delivery.take(written(2, 'two'))
    expect([problems.length, texts()]).toEqual([2, null])
    reach(true)
    delivery.take(written(3, 'three'))
    expect(texts()).toEqual(['three', 3])
  })

  it('catches up with what never arrived, and never hides a newer write of another project', () => {
    const { store, delivery, texts } = open()
    const other = createUserMemoryDelivery(store, { id: 'other' as ProjectId, name: 'other' }, () => undefined)
    other.take(written(9, 'newer'))
    const entries = [written(1, 'one'), written(2, 'two')]
    const log = { entries: () => entries, state: entries.reduce(fold, emptyProject) }
    delivery.catchUp(log)
    delivery.catchUp(log)
    expect(texts()).toEqual(['newer', 3])
    expect(latestVersion(store.current().get('a.md') as never).project?.name).toBe('other')
  })
})
