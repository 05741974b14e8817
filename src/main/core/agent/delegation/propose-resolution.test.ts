import { describe, expect, it } from 'vitest'
import type { Branch } from '#shared/model/branch.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { byTask, type ScriptedAnswer } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { proposalProblem } from './propose-resolution.ts'

const path = `${rootPath}notes.md` as VirtualPath
const write = (content: string): ScriptedAnswer => ({
  calls: [{ name: 'write_file', input: { file_path: path, content } }],
})
const theirs = 'theirs with ``` a fence\n'
const conflict = { path, base: 'base\n', versions: [{ name: 'other', text: theirs }] }

describe('a proposal for a conflict', () => {
  it('is written on a branch of its own by an agent that knows both sides, and merges nothing', async () => {
    const world = await openWorld({
      files: { [path]: 'base\n' },
      script: byTask({
        main: [
          { calls: [{ name: 'spawn_subagents', input: { tasks: ['other'] } }] },
          write('ours\n'),
          { text: 'Done.' },
        ],
        other: [write(theirs), { text: 'Done.' }],
        'Resolve a conflict in /notes.md': [write('ours and theirs\n'), { text: 'Kept both.' }],
      }),
    })
    const id = await world.run('main')
    const branch = world.services.log.state.branches.get(world.children(id)[0]?.branchId as Branch['id']) as Branch
    const proposer = world.runtime.proposeResolution({ branch, into: world.thread(id).branchId }, conflict)
    await world.whenIdle(id)
    const thread = world.thread(proposer)
    expect(thread).toMatchObject({
      agent: 'resolve-conflict-notes',
      status: 'done',
      parent: { threadId: id, resolves: { branchId: branch.id, path } },
    })
    expect(JSON.stringify(thread.messages[0])).toContain('````\\ntheirs with ``` a fence')
    expect(await world.files(proposer), 'its own branch').toEqual({ [path]: 'ours and theirs\n' })
    expect(await world.files(id), 'the workspace').toEqual({ [path]: 'ours\n' })
    expect(world.thread(id).status).toBe('done')
  })

  it('is refused for a file that would fill the context', () => {
    expect(proposalProblem(conflict)).toBeNull()
    expect(proposalProblem({ ...conflict, versions: [{ name: 'other', text: 'x'.repeat(120_000) }] })).toContain(
      'too long',
    )
  })
})
