import { describe, expect, it } from 'vitest'
import type { ServicesOptions } from '../../agent/agent-services.testkit.ts'
import { openWorld } from '../../agent/agent-world.testkit.ts'
import type { Program } from '../../ports/machine-programs.testkit.ts'
import { byTask, type ScriptedCall } from '../../ports/model-client.testkit.ts'

const write = (file_path: string, content: string): ScriptedCall => ({
  name: 'write_file',
  input: { file_path, content },
})

/** A subagent writes a file; its parent then makes these calls. */
async function runCalls(content: string, calls: readonly ScriptedCall[], checks: ServicesOptions['checks']) {
  const world = await openWorld({
    files: { '/lib': 'old' },
    ...(checks && { checks }),
    programs: { 'is-good': isGoodProgram },
    script: byTask({
      main: [
        { calls: [{ name: 'spawn_subagents', id: 'spawn', input: { tasks: ['child'] } }] },
        ...calls.map((call) => ({ calls: [call] })),
        { text: 'done' },
      ],
      child: [{ calls: [write('/lib', content)] }, { text: 'done' }],
    }),
  })
  const id = await world.run('main')
  return { world, id, results: world.results(id), tools: world.requests[0]?.tools.map(({ name }) => name) ?? [] }
}

const isGoodProgram: Program = (_, { machine, folder }) =>
  new TextDecoder().decode(machine.read(`${folder}/lib`)) === 'good' ? 0 : 1

const mergeGreen: ScriptedCall = {
  name: 'merge_subagent',
  id: 'merge',
  input: { handle: 'subagent_0', when: 'green' },
}
const isGood = [{ name: 'test', run: 'is-good' }]

describe('run_checks', () => {
  it('says what the checks say about the files as they are, without asking', async () => {
    const calls: readonly ScriptedCall[] = [
      { name: 'run_checks', id: 'red', input: {} },
      write('/lib', 'good'),
      { name: 'run_checks', id: 'green', input: { names: ['test'] } },
      { name: 'run_checks', id: 'wrong', input: { names: ['tests'] } },
    ]
    const { results } = await runCalls('x', calls, [{ name: 'test', run: 'is-good' }])
    expect(JSON.parse(results.red ?? '')).toMatchObject({ checks: [{ name: 'test', status: 'red', exit_code: 1 }] })
    expect(JSON.parse(results.green ?? '')).toMatchObject({ checks: [{ name: 'test', status: 'green', exit_code: 0 }] })
    expect(results.wrong).toContain('There is no check "tests". The checks are "test".')
  })

  it('is offered only when checks are set', async () => {
    expect((await runCalls('x', [], undefined)).tools).not.toContain('run_checks')
    expect((await runCalls('x', [], isGood)).tools).toContain('run_checks')
  })
})

describe('merge_subagent, when green', () => {
  it('merges what is green on the merged files, and says so', async () => {
    const { results, world, id } = await runCalls('good', [mergeGreen], isGood)
    expect(JSON.parse(results.merge ?? '')).toMatchObject({ written: ['/lib'], checks: [{ status: 'green' }] })
    expect(await world.files(id)).toEqual({ '/lib': 'good' })
  })

  it('writes nothing when a required check is red', async () => {
    const { results, world, id } = await runCalls('bad', [mergeGreen], isGood)
    expect(JSON.parse(results.merge ?? '')).toMatchObject({ written: [], checks: [{ status: 'red', exit_code: 1 }] })
    expect(await world.files(id)).toEqual({ '/lib': 'old' })
    expect(world.entries('branch.merged')).toEqual([])
  })

  it('merges all the same when only an optional check is red, and says what is missing without checks', async () => {
    const optional = await runCalls('bad', [mergeGreen], [{ name: 'test', run: 'false', required: false }])
    expect(await optional.world.files(optional.id)).toEqual({ '/lib': 'bad' })
    expect((await runCalls('bad', [mergeGreen], undefined)).results.merge).toContain('This project has no checks')
  })
})
