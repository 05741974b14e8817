import { afterEach, expect, it, vi } from 'vitest'
import type { RunReport } from '#host/headless/run-report.ts'
import type { ProjectEvent } from '#host/headless/run-task.ts'
import { createPrinter } from './printer.ts'

afterEach(() => vi.restoreAllMocks())

function written(print: (printer: ReturnType<typeof createPrinter>) => void): string {
  const kept: string[] = []
  const keep = (text: unknown) => kept.push(String(text)) > 0
  vi.spyOn(process.stderr, 'write').mockImplementation(keep)
  vi.spyOn(process.stdout, 'write').mockImplementation(keep)
  print(createPrinter(false))
  vi.restoreAllMocks()
  return kept.join('')
}

const hostile = '\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202Etxt'
/** Characters that a terminal would act on. */
const obeyed = /[^\P{Cc}\n\t]|\p{Cf}/u

it('asks with the whole call, in visible characters that do nothing', () => {
  const command = `${'echo long; '.repeat(40)}rm -rf ${hostile}x`
  const interrupt = { agent: hostile, action_requests: [{ callId: 'c', name: 'execute', args: { command } }] }
  const text = written(({ event }) => event({ type: 'interrupt.raised', interrupt } as unknown as ProjectEvent))
  expect(text).toContain('rm -rf')
  expect(text).toContain('\\u{202e}')
  expect(text).not.toMatch(obeyed)
})

it.each([
  { type: 'branch.forked', parentId: 'b', name: hostile, handle: 'subagent_0' },
  { type: 'run.ended', status: 'failed', message: hostile },
  { type: 'model.retrying', reason: hostile, delayMs: 1 },
  { type: 'tool.finished', name: 'x', result: { outcome: 'error', content: [{ type: 'text', text: hostile }] } },
])('a terminal obeys nothing in $type', (event) => {
  expect(written((printer) => printer.event(event as unknown as ProjectEvent))).not.toMatch(obeyed)
})

it('prints the exact answer to a program, and a visible form to a terminal', () => {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: null }
  const changes = { written: [], deleted: [], renamed: [] }
  const report = { status: 'done', message: '', threadId: 't', answer: hostile, changes, usage } as unknown as RunReport
  const { isTTY } = process.stdout
  try {
    process.stdout.isTTY = false
    expect(written(({ finish }) => finish(report))).toContain(hostile)
    process.stdout.isTTY = true
    expect(written(({ finish }) => finish(report))).not.toMatch(obeyed)
  } finally {
    process.stdout.isTTY = isTTY
  }
})

it('says once which port a process or its branch begins to listen on', () => {
  const changed = (ports: readonly number[], more: object = {}) => ({
    type: 'process.changed',
    process: { id: 'process_0', threadId: 't', branchId: 'b', end: null, ports, branchPorts: [], ...more },
  })
  const text = written(({ event }) => {
    for (const one of [
      changed([]),
      changed([3000]),
      changed([], { id: 'process_1', branchPorts: [4000] }),
      changed([80, 3000], { branchPorts: [4000] }),
      changed([80]),
      changed([], { end: {} }),
      changed([80, 3000]),
    ])
      event(one as unknown as ProjectEvent)
  })
  expect(text).toBe(
    [
      'process_0 listens on port 3000',
      'something in the branch of process_1 listens on port 4000',
      'process_0 listens on port 80',
      'process_0 listens on port 3000',
    ]
      .map((line) => `  ${line}\n`)
      .join(''),
  )
})
