import { expect, it } from 'vitest'
import type { AttemptsWish } from '#shared/model/calls/attempts.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import type { Answer, ApiRequest, Scenario } from '../e2e/model-server/scenario.ts'
import { systemOf, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import type { Project } from '../src/main/host/project/project.ts'
import { batchIn, batchWorld, killedAfter, openBatchWorld, rowsIn, threadIn } from './batch-world.testkit.ts'

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

const call = {
  ...{ name: 'attempts', id: 'attempts' },
  input: { task: 'Make it good', n: 6, variants: hints('a', 'b', 'c', 'd', 'e', 'f') },
}

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

it('attempts whose process was killed go on: one fork each, and none that had ended begins again', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const made = await batchWorld(
    (request, seen) => {
      if (taskOf(request).startsWith('main') && !JSON.stringify(request.messages).includes('Hint for this attempt'))
        return turnOf(request) === 0 ? { calls: [call] } : { text: 'Done.' }
      return byHint(Object.fromEntries(names.map((name) => [name, [write('/out.txt', `good ${name}\n`)]])))(
        request,
        seen,
      )
    },
    { checks: [goodCheck], batch_concurrency: 2 },
  )
  const id = await killedAfter(made, 2)
  const { project } = await made.open()
  const begun = rowsIn(project, id)
  const ended = begun.filter(({ status }) => status === 'ok').map(({ index }) => index)
  expect(ended.length).toBeGreaterThanOrEqual(2)
  const asked = (index: number) =>
    made.server.requests.filter((request) =>
      JSON.stringify(request.messages).includes(`Hint for this attempt: ${names[index]}`),
    ).length
  const before = ended.map(asked)
  project.runtime.resume(id)
  await project.runtime.whenIdle(id)
  expect(ended.map(asked)).toEqual(before)
  expect(rowsIn(project, id).map(({ thread }) => thread?.id)).toEqual(begun.map(({ thread }) => thread?.id))
  expect(rowsIn(project, id).map(({ status }) => status)).toEqual(names.map(() => 'ok'))
  expect(summaryIn(project, id).attempts.map(({ files }: { files: number }) => files)).toEqual(names.map(() => 1))
}, 60_000)
