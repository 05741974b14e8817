import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { openWorld } from '../../agent/agent-world.testkit.ts'
import { blobsInUse } from '../../journal/blobs-in-use.ts'
import { callingInTurn } from '../../ports/model-client.testkit.ts'

/** A thread that makes these calls of `run_python_code`, one per turn. A state is the text of all scripts so far. */
async function run(inputs: readonly JsonObject[]) {
  const world = await openWorld({
    script: callingInTurn(inputs.map((input) => ['run_python_code', input])),
  })
  const id = await world.run('main')
  return { world, id, results: Object.values(world.results(id)).map((text) => JSON.parse(text)) }
}
const show = { code: 'echo "$EARLIER"' }

describe('the state of Python', () => {
  it('passes from call to call, without a word about it', async () => {
    const { results } = await run([{ code: 'echo a' }, { code: 'echo b' }, show])
    expect(results[2]).toEqual(expect.objectContaining({ ok: true, stdout: 'echo a\necho b\n\n' }))
    expect(results[2].note).toBeUndefined()
  })

  it('stays as it was after a failed call, also after one that was to begin anew', async () => {
    const { results } = await run([{ code: 'echo a' }, { code: 'exit 1' }, { code: 'exit 1', reset: true }, show])
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false, true])
    expect(results[3].stdout).toBe('echo a\n\n')
  })

  it('is left behind by a call that begins anew', async () => {
    const { results } = await run([{ code: 'echo a' }, { ...show, reset: true }, show])
    expect(results.map(({ stdout }) => stdout)).toEqual(['a\n', '\n', `${show.code}\n\n`])
  })

  it('stays as it was when the new one is too large, and the result says so', async () => {
    const { results } = await run([{ code: 'echo a' }, { code: `true ${'x'.repeat(4 * 1024 * 1024)}` }, show])
    expect(results[1]).toMatchObject({ ok: true, note: expect.stringContaining('takes more than 4 MB') })
    expect(results[2].stdout).toBe('echo a\n\n')
  })

  it('is stored with the result of the call, and counts as used content', async () => {
    const { world, id } = await run([{ code: 'echo a' }])
    const state = world.thread(id).python?.state ?? ''
    const used = await blobsInUse(world.services.log, world.services.clock.now(), async () => {})
    expect([state.length, used.has(state)]).toEqual([64, true])
    expect(world.kinds(id).filter((kind) => kind === 'python.kept' || kind === 'tool.finished')).toEqual([
      'python.kept',
      'tool.finished',
    ])
  })
})

it('names links of the code that lead out of the project', async () => {
  const { results, world, id } = await run([{ code: 'ln -s /etc/passwd out; echo a > a.txt' }])
  expect(results[0].note).toBe('1 file changed. Links that lead out of the project were not kept: /out to /etc/passwd.')
  expect(Object.keys(await world.files(id))).toEqual(['/a.txt'])
})
