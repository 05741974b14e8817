import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from '../../e2e/model-server/model-server.ts'
import { lastResults, type Scenario } from '../../e2e/model-server/scenario.ts'
import { sandboxHere } from '../../src/main/adapters/shell/sandbox-here.testkit.ts'
import { coppice } from './coppice.testkit.ts'

const folder = (name: string) => mkdtempSync(join(tmpdir(), `coppice-${name}-`))
const execute = (id: string, command: string) => ({ name: 'execute', id, input: { command } })

/** Two commands that build on each other, one that names a host, then the results as the answer. */
const scenario: Scenario = (request) => {
  const results = lastResults(request)
  if (results.size > 0) return { text: [...results.values()].join('\n---\n') }
  return {
    calls: [
      execute(
        'build',
        'echo canary-of-the-output; mkdir -p dist; echo built > dist/app.txt; rm old.txt; echo x > ~/.bashrc',
      ),
      execute('count', 'wc -l < dist/app.txt > lines.txt; cat lines.txt'),
      execute('fetch', 'curl -s https://host.example.com/x'),
    ],
  }
}

interface Waiting {
  readonly interrupts: readonly {
    readonly action_requests: readonly { readonly callId: string; readonly effects?: unknown }[]
  }[]
  readonly threadId: string
  readonly changes: { readonly written: readonly string[]; readonly deleted: readonly string[] }
}

const { state } = await sandboxHere('commands whose effects wait')

describe.runIf(state === 'on')('commands whose effects wait', () => {
  let server: ModelServer
  beforeAll(async () => {
    server = await startModelServer(scenario)
  })
  afterAll(async () => server[Symbol.asyncDispose]())

  async function start(...args: readonly string[]) {
    const [project, data] = [folder('effects'), folder('data')]
    writeFileSync(join(project, 'old.txt'), 'old\n')
    const key = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
    const result = await coppice(['run', project, '--task', 'go', '--json', '--data-dir', data, ...args], key)
    const decide = (decisions: unknown, ...more: readonly string[]) => {
      const file = join(folder('decisions'), 'decisions.json')
      writeFileSync(file, JSON.stringify(decisions))
      const { threadId } = result.events.at(-1) as unknown as Waiting
      return coppice(['resume', threadId, '--decisions', file, '--json', '--data-dir', data, ...more], key)
    }
    return { project, result, last: result.events.at(-1) as unknown as Waiting, decide }
  }

  it('are in the requests of a run that ends with 3, and decided like any call', async () => {
    const { result, last, decide, project } = await start()
    expect(result.code).toBe(3)
    const [interrupt] = last.interrupts
    expect(interrupt?.action_requests).toMatchObject([
      {
        callId: 'build',
        risk: 'medium',
        effects: {
          left_behind: { count: 1, files: [{ path: '~/.bashrc', kind: 'start_file' }] },
          exit_code: 0,
          output: expect.stringContaining('canary-of-the-output'),
          changes: { written: ['/dist/app.txt'], deleted: ['/old.txt'], renamed: [] },
          hosts_refused: [],
          duration_ms: expect.any(Number),
        },
      },
      { callId: 'count', effects: { exit_code: 0, after: 'build', changes: { written: ['/lines.txt'] } } },
      { callId: 'fetch' },
    ])
    expect(interrupt?.action_requests[2]?.effects, 'it asks before it runs').toBeUndefined()
    expect(JSON.stringify(server.requests)).not.toContain('canary-of-the-output\\n')
    expect([last.changes.written, readFileSync(join(project, 'old.txt'), 'utf8')]).toEqual([[], 'old\n'])

    const later = await decide([
      { callId: 'build', type: 'approve', paths: ['/dist/app.txt', '/old.txt'] },
      { callId: 'count', type: 'approve' },
      { callId: 'fetch', type: 'reject', message: 'no network' },
    ])
    expect(later.code).toBe(0)
    expect(later.events.at(-1)).toMatchObject({
      status: 'done',
      changes: { written: ['/dist/app.txt', '/lines.txt'], deleted: ['/old.txt'] },
    })
  })

  it('--approve effects keeps them and rejects the rest; --mode plan drops them', async () => {
    const kept = await start('--approve', 'effects')
    expect(kept.result.code).toBe(0)
    expect(kept.last.changes).toMatchObject({ written: ['/dist/app.txt', '/lines.txt'], deleted: ['/old.txt'] })
    expect(JSON.stringify(kept.last)).toContain('this run keeps only what commands did in the sandbox')

    const planned = await start('--mode', 'plan')
    expect(planned.result.code).toBe(0)
    expect(planned.last.changes).toMatchObject({ written: [], deleted: [] })
    expect(JSON.stringify(planned.last)).toContain('canary-of-the-output')
  })

  it('--mode auto keeps them by itself and asks only for the host', async () => {
    const { result, last } = await start('--mode', 'auto')
    expect(result.code).toBe(3)
    expect(last.interrupts[0]?.action_requests).toMatchObject([{ callId: 'fetch' }])
    const none = await start('--approve', 'none')
    expect([none.result.code, none.last.changes.written]).toEqual([0, []])
  })
})
