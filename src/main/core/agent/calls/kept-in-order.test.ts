import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import { lastResults, type ScriptedCall, turnOf } from '../../ports/model-client.testkit.ts'
import { runs, timeLimit } from '../../ports/test-size.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

/** One call of a reply, and what a person says about it whenever it is asked. */
interface Planned {
  readonly tool: 'write_file' | 'delete' | 'execute'
  readonly file: '/a' | '/b' | '/c'
  readonly answer: 'approve' | 'reject' | 'edit'
}

const planned: fc.Arbitrary<Planned> = fc.record({
  tool: fc.constantFrom('write_file', 'delete', 'execute'),
  file: fc.constantFrom('/a', '/b', '/c'),
  answer: fc.constantFrom('approve', 'approve', 'reject', 'edit'),
})

const idOf = (index: number) => `c${index}` as ToolCallId

/** Every text names its call, so that two outcomes are never equal by chance. */
function inputOf({ tool, file }: Planned, text: string): ScriptedCall['input'] {
  if (tool === 'write_file') return { file_path: file, content: text }
  return tool === 'delete' ? { path: file } : { command: `echo ${text} >> ${file.slice(1)}` }
}

const editedText = (index: number) => `edited${index}`

/** What the call makes of the files when it counts. */
function applyTo(files: Map<string, string>, { tool, file, answer }: Planned, index: number): void {
  if (answer === 'reject') return
  const text = answer === 'edit' ? editedText(index) : `text${index}`
  if (tool === 'delete') files.delete(file)
  else if (tool === 'write_file') files.set(file, text)
  else files.set(file, `${files.get(file) ?? ''}${text}\n`)
}

it(
  'the branch is what was kept, applied in the model’s order, whatever a person decides and in whichever order',
  async () => {
    const story = fc.record({
      calls: fc.array(planned, { minLength: 1, maxLength: 5 }),
      mode: fc.constantFrom<ApprovalMode>('ask', 'auto-edit', 'auto'),
      lastFirst: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(story, async ({ calls, mode, lastFirst }) => {
        const world = await openWorld({
          files: { '/a': 'old\n', '/b': 'old\n' },
          script: (request) =>
            turnOf(request) === 0
              ? {
                  calls: calls.map((one, index) => ({
                    name: one.tool,
                    id: idOf(index),
                    input: inputOf(one, `text${index}`),
                  })),
                }
              : { text: [...lastResults(request).values()].join('|') },
        })
        const id = await world.run('main', mode)
        const asked = new Set<string>()
        for (let round = 0; world.thread(id).interrupts.length > 0; round += 1) {
          expect(round, 'the questions come to an end').toBeLessThan(30)
          const waiting = [...world.thread(id).calls.values()].filter(({ state }) => state.kind === 'asking')
          const { callId } = (lastFirst ? waiting.at(-1) : waiting[0]) ?? { callId: idOf(-1) }
          const index = Number(callId.slice(1))
          const one = calls[index]
          if (!one) throw new Error('Nobody is asked')
          const edit: Decision = { callId, type: 'edit', args: inputOf(one, editedText(index)) }
          const isEdit = one.answer === 'edit' && !asked.has(callId)
          await world.decide(isEdit ? edit : { callId, type: one.answer === 'reject' ? 'reject' : 'approve' })
          asked.add(callId)
        }
        const files = new Map([
          ['/a', 'old\n'],
          ['/b', 'old\n'],
        ])
        for (const [index, one] of calls.entries()) {
          // Nobody could edit or reject what never asked. A deletion of nothing fails, and nobody is asked about it.
          const answer = asked.has(idOf(index)) ? one.answer : 'approve'
          applyTo(files, { ...one, answer }, index)
        }
        expect(world.thread(id).status).toBe('done')
        expect(new Map(Object.entries(await world.files(id)))).toEqual(new Map([...files].sort()))
      }),
      runs(60, 2_000),
    )
  },
  timeLimit(120_000),
)
