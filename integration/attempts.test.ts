import { expect, it } from 'vitest'
import type { AttemptsWish } from '#shared/model/calls/attempts.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { Answer, ApiRequest, Scenario } from '../e2e/model-server/scenario.ts'
import { systemOf, turnOf } from '../e2e/model-server/scenario.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { batchIn, openBatchWorld, rowsIn, threadIn } from './batch-world.testkit.ts'

const write = (file_path: string, content: string): Answer => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
})

/** Each attempt is known by its hint, which ends its last task. */
const byHint =
  (scripts: Readonly<Record<string, readonly Answer[]>>): Scenario =>
  (request) => {
    if (systemOf(request).includes('You review several attempts')) return gradeOf(request)
    const said = JSON.stringify(request.messages)
    const key = Object.keys(scripts).find((name) => said.includes(`Hint for this attempt: ${name}`))
    return (key === undefined ? undefined : scripts[key]?.[turnOf(request)]) ?? { text: 'I am sure that all is well.' }
  }

const gradeOf = (request: ApiRequest): Answer => {
  const text = JSON.stringify(request.messages)
  const labels = [...new Set([...text.matchAll(/attempt_([A-Z])_change/g)].map(([, label]) => label ?? ''))]
  const attempts = labels.map((attempt) => {
    const change = text.match(new RegExp(`<attempt_${attempt}_change[^>]*>(.*?)</attempt_${attempt}_change`, 's'))?.[1]
    return { attempt, findings: change?.includes('sloppy') ? ['It is sloppy.'] : [] }
  })
  return { text: JSON.stringify({ attempts }) }
}

const goodCheck = { name: 'good', run: 'grep -q good out.txt' }
const hints = (...names: readonly string[]) => names.map((hint) => ({ hint }))

function tryWays({ runtime }: Project, attempts: AttemptsWish): ThreadId {
  return runtime.begin(
    { title: 'main', model: 'claude-haiku-4-5', approvalMode: 'auto' },
    () => [{ type: 'text', text: 'main' }],
    {
      step: false,
      attempts,
    },
  )
}

const summaryIn = (project: Project, id: ThreadId) =>
  JSON.parse(textOf(resultOf(batchIn(project, id))?.content ?? []).replace(/^[^{]*/, ''))

it('forks of one tree try a message at once, and evidence alone says which is best', async () => {
  const { project, server } = await openBatchWorld(
    byHint({
      red: [write('/out.txt', 'bad\n')],
      sloppy: [write('/out.txt', 'good sloppy\n')],
      large: [write('/out.txt', 'good\n1\n2\n3\n4\n')],
      small: [write('/out.txt', 'good\n')],
      twin: [write('/out.txt', 'good\n')],
      idle: [],
    }),
    { checks: [goodCheck] },
  )
  const id = tryWays(project, { n: 6, variants: hints('red', 'sloppy', 'large', 'small', 'twin', 'idle') })
  await project.runtime.whenIdle(id)
  const { attempts, best } = summaryIn(project, id)
  expect(attempts.map(({ attempt, checks }: { attempt: number; checks: string }) => [attempt, checks])).toEqual([
    [4, 'green'],
    [5, 'green'],
    [3, 'green'],
    [2, 'green'],
    [1, 'red'],
    [6, 'no change'],
  ])
  expect(best).toBe('subagent_3')
  expect(attempts[1].same_as).toBe('subagent_3')
  expect(attempts[3].findings).toEqual(['It is sloppy.'])
  // No model was asked for the message itself, and no attempt knows of the others.
  expect(
    server.requests.every((request) => systemOf(request).includes('You review') || request.messages.length > 1),
  ).toBe(true)
  expect(threadIn(project, id).end).toMatchObject({ status: 'done' })
  const graded = server.requests.filter((request) => systemOf(request).includes('You review several attempts'))
  expect(graded.length).toBe(1)
  expect(JSON.stringify(graded)).not.toContain('I am sure')
})

it('those behind stop when the budget asks for it, and the budget holds over all', async () => {
  const steps = (content: (turn: number) => string) =>
    Array.from({ length: 12 }, (_, turn) => ({
      ...write(`/out${turn}.txt`, content(turn)),
      usage: { input_tokens: 1000, output_tokens: 1000 },
    }))
  const { project } = await openBatchWorld(
    byHint({ a: steps(() => 'bad\n'), b: steps(() => 'good\n'), c: steps(() => 'bad\n'), d: steps(() => 'bad\n') }),
    { checks: [{ name: 'first', run: 'grep -q good out0.txt' }], max_tokens: 1024 },
  )
  const budget = 0.3
  const id = tryWays(project, { n: 4, variants: hints('a', 'b', 'c', 'd'), budget })
  await project.runtime.whenIdle(id)
  const { attempts, best, cost } = summaryIn(project, id)
  expect(attempts[0]).toMatchObject({ attempt: 2, checks: 'green' })
  expect(best).toBe('subagent_1')
  const stopped = rowsIn(project, id).filter(({ thread }) => thread?.end?.message.startsWith('Stopped early'))
  expect(stopped.length).toBeGreaterThanOrEqual(2)
  expect(cost).toBeLessThanOrEqual(budget)
})
