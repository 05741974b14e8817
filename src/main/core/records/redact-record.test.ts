import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { callingInTurn } from '../ports/model-client.testkit.ts'
import { toBase64 } from '../tools/files/image-info.ts'
import type { LineOf } from './record-format.ts'
import { parsed, recordOf, replayIn } from './record-world.testkit.ts'
import { redactLine } from './redact-record.ts'

const canary = 'sk-ant-api03-CANARY0123456789abcdef'
const named = 'correct-horse-battery'

describe('a record without secrets', () => {
  it('holds none of them, wherever they were, and says so', async () => {
    const world = await openWorld({
      script: callingInTurn([
        ['write_file', { file_path: '/.env', content: `KEY=${canary}\n` }],
        ['write_file', { file_path: '/b', content: 'x', password: named } as JsonObject],
        ['write_file', { file_path: `/${canary}`, content: 'x' }],
      ]),
    })
    const id = world.begin(`Use ${canary}`, 'ask')
    for (const call of ['c0', 'c1', 'c2']) {
      await world.whenIdle(id)
      const args = { file_path: `/${call}`, content: canary }
      await world.decide({ callId: call as never, type: 'edit', args, message: `api_key: ${named}1` } as never)
    }
    const text = recordOf(world, id)
    expect(text).not.toContain('CANARY')
    expect(text).not.toContain(named)
    expect(text).toContain('[redacted]')
    expect(recordOf(world, id, true)).toContain(canary)
    expect(parsed(text).header.secrets).toBe('replaced')
    const { difference } = await replayIn(parsed(text))
    expect(difference).toMatchObject({ kind: 'tree', files: ['/c0'] })
    expect((await replayIn(parsed(recordOf(world, id, true)))).difference).toBeUndefined()
  })

  it('holds none of a file that a person gave', () => {
    const bytes = (text: string) => toBase64(new TextEncoder().encode(text))
    const line = (data: string): LineOf<'input'> => ({ kind: 'input', agent: 'main', path: 'a.txt', data })
    expect(redactLine(line(bytes(`key ${canary}`)))).toEqual(line(bytes('key [redacted]')))
    expect(redactLine(line(bytes('harmless')))).toEqual(line(bytes('harmless')))
    expect(redactLine(line('/wAB'))).toEqual(line('/wAB'))
  })
})
