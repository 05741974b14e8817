import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { lastResults, type Scenario, taskOf, turnOf } from '../../e2e/model-server/scenario.ts'
import { coppice, folder, keyFor, runTask } from './coppice.testkit.ts'

describe('approvals on the command line', () => {
  const command: Scenario = (_, { count }) =>
    count === 0
      ? { calls: [{ name: 'execute', id: 'c1', input: { command: 'echo once >> log.txt' } }] }
      : { text: 'Finished.' }

  it('--approve all runs every call, none rejects every call, and both leave a question open', async () => {
    const all = await runTask(command, '--approve', 'all')
    expect(all.last).toMatchObject({ status: 'done', changes: { written: ['/log.txt'] } })
    const none = await runTask(command, '--approve', 'none')
    expect(none.last).toMatchObject({ status: 'done', changes: { written: [] } })
    const question = await runTask(
      () => ({ calls: [{ name: 'ask_user', id: 'q', input: { question: 'Which?' } }] }),
      '--approve',
      'all',
    )
    expect([question.code, question.last?.status]).toEqual([3, 'interrupted'])
  })
})

describe('structured runs', () => {
  it('--step pauses after every turn until it is resumed', async () => {
    const scenario: Scenario = (request) =>
      request.messages.length < 4
        ? { calls: [{ name: 'ls', input: {}, id: `c${request.messages.length}` }] }
        : { text: 'End.' }
    const first = await runTask(scenario, '--step')
    expect([first.code, first.last?.reason]).toEqual([3, 'step'])
    await using server = await startModelServer(scenario)
    const second = await coppice(
      ['resume', String(first.last?.threadId), '--json', '--data-dir', first.data],
      keyFor(server.url),
    )
    expect(second.events.at(-1)).toMatchObject({ status: 'done', answer: 'End.' })
  })

  it('--input and --output-schema: the agent gets data by path, and its answer fits after one repair', async () => {
    const files = folder()
    writeFileSync(join(files, 'in.json'), JSON.stringify({ rows: [1, 2, 3] }))
    writeFileSync(
      join(files, 'schema.json'),
      JSON.stringify({ type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }),
    )
    const { code, last, requests } = await runTask(
      (_, { count }) =>
        count === 0
          ? { calls: [{ name: 'read_file', input: { file_path: '/inputs/input.json' } }] }
          : { text: count === 1 ? 'six' : '{"total": 6}' },
      '--input',
      join(files, 'in.json'),
      '--output-schema',
      join(files, 'schema.json'),
    )
    expect([code, last?.answer]).toEqual([0, '{"total": 6}'])
    expect(JSON.stringify(requests[1])).toContain('1,\\n')
    const wrong = await runTask(() => ({ text: 'never' }), '--output-schema', join(files, 'schema.json'))
    expect([wrong.code, wrong.last?.reason]).toEqual([1, 'invalid_answer'])
  })

  it('--input takes tables, texts and PDFs, and names what it cannot read', async () => {
    const files = folder()
    writeFileSync(join(files, 'sales.csv'), 'month,total\nMay,3\n')
    writeFileSync(join(files, 'broken.json'), '{"a" 1}')
    const read = { calls: [{ name: 'read_file', input: { file_path: '/inputs/sales.csv' } }] }
    const scenario: Scenario = (_, { count }) => (count === 0 ? read : { text: 'Read.' })
    const { requests } = await runTask(scenario, '--input', join(files, 'sales.csv'))
    expect(JSON.stringify(requests[0])).toContain('in /inputs/sales.csv (2 columns, 1 row, separated by commas)')
    expect(JSON.stringify(requests[1])).toContain('May,3')
    const wrong = await runTask(scenario, '--input', join(files, 'broken.json'))
    expect([wrong.code, wrong.requests.length]).toEqual([2, 0])
    expect(wrong.stderr).toContain('--input: broken.json: It is not JSON: Expected ":" in line 1, column 6.')
  })

  for (const schema of ['"x"', '[]', '{"type":"nope"}', '{"$ref":"#/nowhere"}']) {
    it(`--output-schema ${schema} is a usage error that sends no request to the model`, async () => {
      const file = join(folder(), 'schema.json')
      writeFileSync(file, schema)
      const { code, stderr, requests } = await runTask(() => ({ text: 'never' }), '--output-schema', file)
      expect([code, requests.length]).toEqual([2, 0])
      expect(stderr).toContain('--output-schema: The output schema cannot be used')
    })
  }

  it('the schema still holds after a decision and for the next task of the thread, until none is asked for', async () => {
    const schema = join(folder(), 'schema.json')
    writeFileSync(schema, JSON.stringify({ type: 'object', required: ['total'] }))
    const data = folder()
    await using server = await startModelServer((_, { count }) => {
      if (count === 0) return { calls: [{ name: 'execute', id: 'c1', input: { command: 'true' } }] }
      return { text: count === 2 ? '{"total": 6}' : 'in words' }
    })
    const at = ['--json', '--data-dir', data]
    const place = folder()
    const asked = await coppice(['run', place, '--task', 'x', '--output-schema', schema, ...at], keyFor(server.url))
    const threadId = String(asked.events.at(-1)?.threadId)
    const decided = await coppice(['resume', threadId, '--approve', 'all', ...at], keyFor(server.url))
    expect(decided.events.at(-1)).toMatchObject({ status: 'done', answer: '{"total": 6}' })
    expect(JSON.stringify(server.requests.at(-1))).toContain('does not fit the schema')
    const goOn = async (...args: readonly string[]) => {
      const { events } = await coppice(['run', place, '--thread', threadId, ...args, ...at], keyFor(server.url))
      return events.at(-1)
    }
    expect(await goOn('--task', 'y')).toMatchObject({ status: 'failed', reason: 'invalid_answer' })
    expect(JSON.stringify(server.requests.at(-2))).toContain('reply with JSON alone')
    expect(await goOn('--task', 'z', '--output-schema', 'none')).toMatchObject({ status: 'done', answer: 'in words' })
    expect(await goOn('--task', 'and on')).toMatchObject({ status: 'done', answer: 'in words' })
  })

  const counter = ['---', 'description: Counts.', 'answer_schema: { type: object, required: [total] }', '---', 'Count.']

  it('answer_schema of a definition holds for its subagent and for --agent, and a bad one is named', async () => {
    const place = folder()
    mkdirSync(join(place, '.coppice/agents'), { recursive: true })
    writeFileSync(join(place, '.coppice/agents/counter.md'), counter.join('\n'))
    writeFileSync(join(place, '.coppice/agents/broken.md'), counter.join('\n').replace('object', 'nothing'))
    const call = { name: 'task', id: 'c1', input: { description: 'count', subagent_type: 'counter' } }
    await using server = await startModelServer((request) => {
      if (!taskOf(request).startsWith('main')) return { text: turnOf(request) === 0 ? 'six' : '{"total": 6}' }
      return turnOf(request) === 0 ? { calls: [call] } : { text: [...lastResults(request).values()].join('') }
    })
    const at = ['--json', '--trust', '--data-dir', folder()]
    const given = await coppice(['run', place, '--task', 'main', ...at], keyFor(server.url))
    expect(JSON.parse(String(given.events.at(-1)?.answer))).toMatchObject({ result: { total: 6 } })
    expect(given.stderr).toMatch(/broken\.md:2: answer_schema: The output schema cannot be used/)
    const own = await coppice(['run', place, '--agent', 'counter', '--task', 'x', ...at], keyFor(server.url))
    expect(own.events.at(-1)).toMatchObject({ status: 'done', answer: '{"total": 6}' })
  })

  it('fork of a definition: the requests of a subagent begin as those of its parent, byte for byte', async () => {
    const place = folder()
    mkdirSync(join(place, '.coppice/agents'), { recursive: true })
    writeFileSync(join(place, '.coppice/agents/twin.md'), '---\ndescription: Goes on from here.\nfork: true\n---\n')
    writeFileSync(join(place, '.coppice/agents/both.md'), '---\ndescription: x\nfork: true\ntools: Read\n---\n')
    const call = { name: 'task', id: 'c1', input: { description: 'go on', subagent_type: 'twin' } }
    await using server = await startModelServer((request) => {
      if (JSON.stringify(request.messages).includes('You are a subagent')) return { text: 'Went on.' }
      const turns = [{ calls: [{ name: 'ls', input: {} }] }, { calls: [call] }]
      return turns[turnOf(request)] ?? { text: 'Done.' }
    })
    const run = await coppice(
      ['run', place, '--task', 'main', '--json', '--trust', '--data-dir', folder()],
      keyFor(server.url),
    )
    expect(run.stderr).toContain('fork: it begins as its parent does, so it cannot have tools of its own')
    // The mark of the cache stands at the end of a request and is no part of what is kept.
    const [parent = '', child = ''] = [1, 2].map((index) => {
      const { tools, system, messages } = server.requests[index] ?? { messages: [] }
      return JSON.stringify([tools, system, messages]).replaceAll(',"cache_control":{"type":"ephemeral"}', '')
    })
    expect(parent.length).toBeGreaterThan(20_000)
    expect(child.slice(0, parent.length - 2)).toBe(parent.slice(0, -2))
  })

  it('--empty starts without a folder', async () => {
    const { code, last } = await runEmpty()
    expect([code, last?.changes]).toEqual([0, { written: ['/new.txt'], deleted: [], renamed: [] }])
  })

  async function runEmpty() {
    await using server = await startModelServer((_, { count }) =>
      count === 0
        ? { calls: [{ name: 'write_file', input: { file_path: '/new.txt', content: 'x' } }] }
        : { text: 'ok' },
    )
    const result = await coppice(
      ['run', '--empty', '--task', 'x', '--json', '--data-dir', folder()],
      keyFor(server.url),
    )
    return { code: result.code, last: result.events.at(-1) }
  }
})
