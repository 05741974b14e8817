import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { createEventHub } from '../events/event-hub.ts'
import { type SpanTarget, spanTargetIn } from '../settings/outward.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { createTelemetry } from './telemetry.ts'

interface Received {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly spans: readonly ReceivedSpan[]
}
interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code: number; readonly message: string }
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

/** A collector that speaks the protocol over HTTP. One that hangs never answers. */
async function openCollector(hangs = false, status = 200) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString())
      const spans = body.resourceSpans[0].scopeSpans[0].spans
      received.push({ path: request.url, headers: request.headers, spans })
      if (!hangs) response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { received, url, all: () => received.flatMap(({ spans }) => spans) }
}

const [main, child] = ['main', 'child'] as ThreadId[]
const usage = { modelCalls: 1, inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 1, cost: null }

function open(target: SpanTarget | null, options: { patienceAtEndMs?: number; gatherMs?: number } = {}) {
  const events = createEventHub(() => [])
  const problems: string[] = []
  const threads = new Map([
    [main, { agent: 'main', agentType: 'main', model: 'claude-x', parent: null }],
    [
      child,
      {
        agent: 'rotate-canary-key',
        agentType: 'helper',
        model: 'claude-x',
        parent: { threadId: main, callId: 'spawn' as ToolCallId },
      },
    ],
  ])
  const telemetry = createTelemetry({
    ...{ events, version: '1.2.3', findTarget: () => target, report: (problem) => problems.push(problem), ...options },
    findThread: (id) => threads.get(id as never) as never,
    describeModel: (model) => ({ provider: 'anthropic', model }),
  })
  let sequence = 0
  const publish = (threadId: ThreadId | undefined, at: number, event: object) => {
    sequence += 1
    events.publish({ threadId, at, sequence, ...event } as CoppiceEvent)
  }
  return { telemetry, publish, problems }
}
const target = (url: string, more: Partial<SpanTarget> = {}): SpanTarget => ({
  ...{ url: `${url}/v1/traces`, headers: {}, content: false },
  ...more,
})

const reply = (text: string, stopReason = 'tool_use') => ({
  type: 'message',
  message: { role: 'assistant', messageId: 'm', stopReason, content: [{ type: 'text', text }] },
})
const finished = (callId: string, name: string, outcome = 'ok') => ({
  ...{ type: 'tool.finished', callId, name, durationMs: 5, reads: [] },
  result: { outcome, content: [{ type: 'text', text: 'canary result' }] },
})

/** A run with a subagent, a call that fails, and a request that fails. */
function runOnce(publish: ReturnType<typeof open>['publish']) {
  publish(main, 1_000, { type: 'run.started' })
  publish(main, 1_000, { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'canary task' }] } })
  publish(main, 2_000, reply('canary reply'))
  publish(main, 2_000, { type: 'usage', usage, model: 'claude-y' })
  publish(main, 2_100, { type: 'tool.started', callId: 'spawn', name: 'spawn_subagents', input: { tasks: ['canary'] } })
  publish(child, 2_200, { type: 'run.started' })
  publish(child, 2_900, reply('done', 'end_turn'))
  publish(child, 2_900, { type: 'usage', usage, model: 'claude-x' })
  publish(child, 3_000, { type: 'run.ended', status: 'done', reason: 'completed', message: '' })
  publish(main, 3_100, finished('spawn', 'spawn_subagents'))
  publish(main, 3_200, { type: 'tool.started', callId: 'x', name: 'execute', input: { command: 'canary' } })
  publish(main, 3_300, finished('x', 'execute', 'error'))
  const end = { type: 'run.ended', status: 'failed', reason: 'model_error', cause: 'rate_limited', message: 'canary' }
  publish(main, 4_000, end)
}

const attribute = (span: ReceivedSpan | undefined, name: string) =>
  Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0]

describe('spans of a run', () => {
  it('arrive at a collector by the conventions, subagents below the call that started them, without contents', async () => {
    const { url, all, received } = await openCollector()
    const { telemetry, publish, problems } = open(target(url, { headers: { authorization: 'Bearer x' } }))
    runOnce(publish)
    await telemetry[Symbol.asyncDispose]()
    expect(problems).toEqual([])
    expect(received[0]).toMatchObject({ path: '/v1/traces', headers: { authorization: 'Bearer x' } })
    expect(all().map(({ name }) => name)).toEqual([
      ...['chat claude-x', 'chat claude-x', 'invoke_agent helper', 'execute_tool spawn_subagents'],
      ...['execute_tool execute', 'chat claude-x', 'invoke_agent main'],
    ])
    expect(new Set(all().map(({ traceId }) => traceId)).size).toBe(1)
    const [chat, , helper, spawn, execute, failed, root] = all()
    expect([root?.parentSpanId, helper?.parentSpanId, spawn?.parentSpanId, chat?.parentSpanId]).toEqual([
      ...[undefined, spawn?.spanId, root?.spanId, root?.spanId],
    ])
    expect([chat?.kind, root?.kind]).toEqual([3, 1])
    expect([chat?.startTimeUnixNano, chat?.endTimeUnixNano]).toEqual(['1000000000', '2000000000'])
    const expected = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-x',
      'gen_ai.response.model': 'claude-y',
      'gen_ai.usage.input_tokens': '13',
      'gen_ai.usage.output_tokens': '5',
      'gen_ai.response.finish_reasons': { values: [{ stringValue: 'tool_use' }] },
    }
    for (const [name, value] of Object.entries(expected)) expect([name, attribute(chat, name)]).toEqual([name, value])
    expect([attribute(execute, 'gen_ai.tool.name'), attribute(execute, 'gen_ai.tool.call.id')]).toEqual([
      'execute',
      'x',
    ])
    expect([attribute(execute, 'error.type'), attribute(failed, 'error.type')]).toEqual(['error', 'rate_limited'])
    expect(root?.status).toEqual({ code: 2, message: 'rate_limited' })
    expect(JSON.stringify(received)).not.toContain('canary')
  })

  // Mutation: name a subagent by its own name, which is made of its task, or a tool as a model wrote it.
  it('have no words of a task in the names of agents, nor what a model wrote in the place of a tool', async () => {
    const { url, all, received } = await openCollector()
    const { telemetry, publish } = open(target(url))
    publish(main, 1, { type: 'run.started' })
    const names = [
      'canary',
      'execute canary',
      'canary\n',
      'c'.repeat(10_000),
      'mcp__canary',
      'execute',
      'mcp__docs__find',
    ]
    for (const [index, name] of names.entries()) {
      if (index > 5) publish(main, 2, { type: 'tool.started', callId: `${index}`, name, input: {} })
      publish(main, 2, finished(`${index}`, name, 'error'))
    }
    publish(main, 3, { type: 'run.ended', status: 'done', reason: 'completed', message: '' })
    await telemetry[Symbol.asyncDispose]()
    const known = ['execute_tool execute', 'execute_tool mcp__docs__find', 'invoke_agent main']
    expect(all().map(({ name }) => name)).toEqual([...Array(5).fill('execute_tool unknown'), ...known])
    expect(JSON.stringify(received)).not.toContain('canary')
  })

  it('have the texts only when the settings say so', async () => {
    const { url, received } = await openCollector()
    const { telemetry, publish } = open(target(url, { content: true }))
    runOnce(publish)
    await telemetry[Symbol.asyncDispose]()
    const text = JSON.stringify(received)
    for (const part of ['canary task', 'canary reply', 'canary result', 'invoke_agent rotate-canary-key'])
      expect(text).toContain(part)
  })

  // Mutation: wait for the collector, or keep everything that it does not take.
  it('hold nothing up where a collector hangs, and are dropped and counted beyond a bound', async () => {
    const { url, received } = await openCollector(true)
    const { telemetry, publish, problems } = open(target(url), { patienceAtEndMs: 200, gatherMs: 1 })
    for (let run = 0; run < 1_000; run += 1) runOnce(publish)
    await expect.poll(() => received).toHaveLength(1)
    await telemetry[Symbol.asyncDispose]()
    expect(received).toHaveLength(1)
    expect(problems).toEqual(['7000 spans were dropped, because the setting telemetry did not work'])
  })

  it('that nobody takes are said once', async () => {
    const { url } = await openCollector(false, 503)
    const { telemetry, publish, problems } = open(target(url))
    for (let run = 0; run < 100; run += 1) runOnce(publish)
    await telemetry[Symbol.asyncDispose]()
    expect(problems).toEqual([
      'Spans cannot be sent, because the setting telemetry does not work',
      '700 spans were dropped, because the setting telemetry did not work',
    ])
  })
})

describe('the collector', () => {
  // Mutation: take the variable without a word of the settings.
  it('is named by the settings, and by the standard variable only when they say so', () => {
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }
    const url = (telemetry?: Parameters<typeof spanTargetIn>[0]['telemetry']) =>
      spanTargetIn({ telemetry }, environment)?.url
    expect([url(), url(null), url({}), url({ content: true })]).toEqual([undefined, undefined, undefined, undefined])
    expect(url({ from_environment: true })).toBe('http://127.0.0.1:4318/v1/traces')
    expect(url({ endpoint: 'https://otel.example/v1/traces' })).toBe('https://otel.example/v1/traces')
    expect(spanTargetIn({ telemetry: { from_environment: true } }, {})).toBe(null)
  })

  it('is never named by a project, and hears of a run of the person’s own settings', async () => {
    const { url, all } = await openCollector()
    const base = mkdtempSync(join(tmpdir(), 'coppice-telemetry-'))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    const folder = join(base, 'app')
    mkdirSync(join(folder, '.coppice'), { recursive: true })
    const telemetry = { endpoint: url }
    writeFileSync(join(folder, '.coppice/settings.json'), JSON.stringify({ telemetry }))
    const runIn = async (own: object) => {
      const data = join(base, `data-${Object.keys(own).length}`)
      mkdirSync(data)
      writeFileSync(join(data, 'settings.json'), JSON.stringify(own))
      const host = await openTestHost(data)
      const project = await host.projects.open(folder)
      const projectId = project.info().id
      host.projects.setTrusted(projectId, true)
      await call(host.router.setup.view, { projectId })
      const threadId = project.runtime.begin({ title: 'x', model: 'demo', approvalMode: 'auto' }, () => [
        { type: 'text', text: 'canary' },
      ])
      await project.runtime.whenIdle(threadId)
      await host[Symbol.asyncDispose]()
      return all()
    }
    expect(await runIn({})).toEqual([])
    const spans = await runIn({ telemetry })
    expect(spans.map(({ name }) => name)).toContain('invoke_agent main')
    expect(spans.some(({ name }) => name.startsWith('chat '))).toBe(true)
  })
})
