import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type AnyProcedure, call, isProcedure, ORPCError } from '@orpc/server'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs, testSeed, timeLimit } from '#core/ports/test-size.testkit.ts'
import { type FieldKind, procedures, sampleOf } from '#shared/contract/procedures.testkit.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { decideAutomatically } from '../headless/run-task.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const runsPerProcedure = runs(150, 10_000).numRuns
const knownCodes = /^(BAD_REQUEST|NOT_FOUND|NOT_A_FOLDER|UNREADABLE|CONFLICT|REFUSED|NO_KEY|ALREADY_DECIDED)$/

/** Every procedure with an input, by its dotted name. */
function proceduresOf(router: object, prefix = ''): readonly (readonly [string, AnyProcedure])[] {
  return Object.entries(router).flatMap(([name, value]) => {
    if (isProcedure(value)) return value['~orpc'].inputSchema ? [[`${prefix}${name}`, value] as const] : []
    return proceduresOf(value as object, `${prefix}${name}.`)
  })
}

/** Valid values, so that some inputs pass the schemas, mixed with invalid ones. */
function inputs(known: Readonly<Record<string, readonly unknown[]>>): fc.Arbitrary<unknown> {
  const hostile = fc.oneof(
    fc.constantFrom<unknown>(null, undefined, '', '\0', '/..', '__proto__', '\ud800', -1, 1.5, Number.NaN, 2 ** 53, []),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const field = (name: string) =>
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...(known[name] ?? [0])) }, { weight: 1, arbitrary: hostile })
  const fields = Object.fromEntries(Object.keys(known).map((name) => [name, field(name)]))
  return fc.oneof({ weight: 9, arbitrary: fc.record(fields) }, { weight: 1, arbitrary: hostile })
}

/** The code of the refusal, or `ok`. Reads only the first item of a stream. */
async function answerOf(procedure: AnyProcedure, input: unknown): Promise<string> {
  const leaving = new AbortController()
  try {
    const output: unknown = await call(procedure, input as never, { context: {}, signal: leaving.signal })
    if (isStream(output)) await Promise.race([output.next(), setImmediate()])
    return 'ok'
  } catch (error) {
    return error instanceof ORPCError ? error.code : `unhandled: ${String(error)}`
  } finally {
    leaving.abort()
  }
}

function isStream(output: unknown): output is AsyncGenerator {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

/** Runs the script to its end, with subagents and their branches, or up to its first approval. */
async function runDemo(project: Project, approve: 'all' | 'ask'): Promise<void> {
  const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  project.runtime.send(threadId, [{ type: 'text', text: 'go' }], 'queue')
  using _deciding = decideAutomatically(project, threadId, approve)
  await project.runtime.whenIdle(threadId)
}

/** They stop or free what nobody has, or answer about those of a list that there are, so there is nothing to refuse. */
const harmless = {
  project: ['changes.cancelApply'],
  'thread or branch': [
    ...['events.outline', 'threads.stop', 'branches.survey', 'branches.mergeReady', 'checks.ofBranches'],
    ...[
      'checks.cancel',
      'checks.cancelBisect',
      'checks.cancelNeeded',
      'checks.cancelMerges',
      'changes.cancelApply',
      'storage.dropEnvironment',
    ],
    ...['processes.list', 'processes.stop', 'processes.keep'],
  ],
}

/** The procedures that answer about a project, or a thread or branch of an open one, that does not exist. */
async function straysOf(router: object, projectId: string) {
  const byName = new Map(proceduresOf(router))
  const answering = async (kind: FieldKind, values: Readonly<Record<string, unknown>>) => {
    const about = procedures.filter(({ fields }) => fields.some((field) => field.kind === kind))
    const answers = about.map(async ({ name, schema }) => {
      const procedure = byName.get(name)
      return procedure && (await answerOf(procedure, sampleOf(schema, values))) !== 'ok' ? [] : [name]
    })
    return (await Promise.all(answers)).flat()
  }
  return {
    project: await answering('project', { projectId: 'nobody', hosts: ['example.org'] }),
    'thread or branch': await answering('thread or branch', { projectId }),
  }
}

it(
  `answers ${runsPerProcedure} malformed inputs of every procedure with a known refusal, and keeps working`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-door-'))
    writeFileSync(join(folder, 'a.txt'), 'a\n')
    const problems: string[] = []
    await using host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-door-data-')), (problem, error) =>
      problems.push(`${problem}: ${error instanceof Error ? error.stack : String(error)}`),
    )
    const project = await host.projects.open(folder)
    const { services } = project
    for (const approve of ['all', 'ask'] as const) await runDemo(project, approve)
    const { threads, branches } = services.log.state
    const branchIds: readonly BranchId[] = [...branches.keys()]
    const open = [...threads.values()].flatMap(({ interrupts }) => interrupts)
    const known = {
      projectId: [project.info().id, 'x'],
      threadId: [...threads.keys(), 'x', null],
      branchId: [...branchIds, ...branchIds, 'x', null],
      interruptId: [...open.map(({ id }) => id), 'x'],
      decisions: [
        [{ callId: 'x', type: 'approve' }],
        [{ callId: open[0]?.action_requests[0]?.callId, type: 'respond' }],
      ],
      path: ['/', '/a.txt', '/a.txt/b', '/none', '/coppice-demo', '/.git/config', folder],
      paths: [null, [], ['/'], ['/a.txt'], ['/none', '/coppice-demo/src'], ['/coppice-demo/src/total.js']],
      sequence: Array.from({ length: services.log.state.sequence }, (_, index) => index + 1),
      after: [0, 1, 1e9],
      text: ['', 'x'],
      title: ['t'],
      todos: [[], [{ content: 'c', status: 'completed' }]],
      images: [[], [{ type: 'image', mediaType: 'image/png', data: 'AA==' }]],
      delivery: ['queue', 'steer'],
      model: ['demo', 'scripted', ''],
      approvalMode: ['plan', 'auto', 'x'],
      force: [true, false],
      strategy: ['refuse', 'three_way'],
      query: ['', 'a', '*'],
      limit: [1, 0],
      url: ['https://example.org', 'javascript:1'],
      trusted: [true, false],
      key: [' ', 'k'],
      remember: [true, false],
      consent: [true, false],
      baseUrl: ['http://127.0.0.1:1', 'x', null],
      terminalId: ['t', 'u'],
      columns: [80, 1],
      rows: [24],
      data: ['', 'exit\r'],
      maxIterations: [5],
    }
    // Mutation: read the files of a branch that does not exist as those of the folder.
    expect(await straysOf(host.router, project.info().id)).toEqual(harmless)
    const arbitrary = inputs(known)
    const codes = new Set<string>()
    for (const [name, procedure] of proceduresOf(host.router)) {
      const wrong = new Set<string>()
      for (const [index, input] of fc.sample(arbitrary, { numRuns: runsPerProcedure, seed: testSeed() }).entries()) {
        const code = await answerOf(procedure, input)
        codes.add(`${name} ${code}`)
        if (code !== 'ok' && !knownCodes.test(code))
          wrong.add(`${index} ${code} ${JSON.stringify(input)?.slice(0, 300)}`)
      }
      expect({ name, wrong: [...wrong].slice(0, 3), problems: problems.slice(0, 3) }).toEqual({
        name,
        wrong: [],
        problems: [],
      })
    }
    const reached = [...codes].filter((one) => one.endsWith(' ok'))
    expect(reached.length, 'procedures that reached their own code').toBeGreaterThan(25)
    const empty = { projectId: project.info().id, threadId: null, text: ' \n' }
    expect(await answerOf(host.router.threads.send, empty)).toBe('BAD_REQUEST')
    expect(await answerOf(host.router.app.info, undefined)).toBe('ok')
  },
  timeLimit(120_000),
)
