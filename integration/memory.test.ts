import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#shared/model/calls/call.ts'
import { latestVersion } from '#shared/model/memory.ts'
import { type Answer, lastResults, type Scenario, systemOf, taskOf } from '../e2e/model-server/scenario.ts'
import { openWorld } from './world.testkit.ts'

const path = '/memories/style.md'
const write: Answer = {
  calls: [{ name: 'write_file', id: 'note', input: { file_path: path, content: 'Indent with tabs\n' } }],
}
const read: Answer = { calls: [{ name: 'read_file', input: { file_path: path } }] }

/** The task says what the agent does with the memory. The agent then repeats the result. */
const script: Scenario = (request) => {
  if (lastResults(request).size > 0) return { text: [...lastResults(request).values()].join() }
  return taskOf(request) === 'write' ? write : read
}

describe('the memory of agents', () => {
  it('is stored with the result of the call that wrote it, and shown to later threads', async () => {
    const { project, run, thread, server } = await openWorld(script)
    const first = await run('write')
    const { log } = project.services
    const memory = log.state.memories.get('style.md')
    const version = memory && latestVersion(memory)
    expect(memory).toMatchObject({ text: 'Indent with tabs\n', used: null })
    expect(version).toMatchObject({ threadId: first, agent: 'main', callId: 'note', number: 1 })
    const written = log.entries().findIndex(({ sequence }) => sequence === version?.sequence)
    const [, finished] = log.entries().slice(written)
    expect(finished).toMatchObject({ type: 'tool.finished', callId: 'note', at: version?.at })
    expect([...thread(first).calls.values()][0]?.remembered).toEqual([
      { name: 'style.md', sequence: version?.sequence },
    ])

    const second = await run('read')
    expect(systemOf(server.requests.at(-1))).toContain(
      JSON.stringify(`{"file":"${path}","begins":"Indent with tabs"}`).slice(1, -1),
    )
    expect(log.state.memories.get('style.md')?.used).toMatchObject({ threadId: second })
  })

  it('is off for a thread when a person says so: no index in the prompt, and reads are refused', async () => {
    const { project, run, thread, server, host } = await openWorld(script)
    const first = await run('write')
    const other = await run('read')
    const target = { projectId: project.info().id, threadId: other }
    await call(host.router.threads.configure, { ...target, memory: false }, { context: {} })
    await call(host.router.threads.send, { ...target, text: 'read' }, { context: {} })
    await project.runtime.whenIdle(other)
    const sent = server.requests.at(-1)
    expect(systemOf(sent)).not.toContain('Indent with tabs')
    expect(JSON.stringify(sent?.messages)).toContain('switched memory off for this thread')
    expect(thread(first).memory).toBe(true)
    const results = [...thread(other).calls.values()].map((call) => resultOf(call)?.outcome)
    expect(results).toEqual(['ok', 'error'])
  })
})
