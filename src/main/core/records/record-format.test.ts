import { describe, expect, it } from 'vitest'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { callingInTurn } from '../ports/model-client.testkit.ts'
import { readRecord, writeRecordLine } from './record-format.ts'
import { parsed, recordOf } from './record-world.testkit.ts'

/** A record with most kinds of lines. */
async function someRecord(): Promise<string> {
  const world = await openWorld({
    files: { '/a': 'x' },
    script: callingInTurn([
      ['write_file', { file_path: '/b', content: 'text with “quotes”\n\u2028and more' }],
      ['spawn_subagents', { tasks: ['one'] }],
    ]),
  })
  const id = world.begin('main', 'ask')
  await world.whenIdle(id)
  await world.approve('c0')
  return recordOf(world, id)
}

const errorOf = (text: string) => {
  const read = readRecord(text)
  return read.ok ? undefined : read.error
}

const valuesIn = (text: string) => text.split('\n').map((line): unknown => (line === '' ? null : JSON.parse(line)))

describe('a record', () => {
  it('is read as it was written', async () => {
    const text = await someRecord()
    const { header, lines } = parsed(text)
    expect(new Set(lines.map(({ kind }) => kind)).size).toBeGreaterThan(7)
    const again = [header, ...lines].map(writeRecordLine).join('')
    expect(valuesIn(again)).toEqual(valuesIn(text))
  })

  it('that was cut anywhere is read up to its last whole line', async () => {
    const text = await someRecord()
    const whole = text.split('\n').length - 2
    const first = text.indexOf('\n') + 1
    for (let length = first; length < text.length; length += 7) {
      const cut = text.slice(0, length)
      const lines = cut.split('\n').length - 2
      const read = parsed(cut).lines.length
      expect(read === lines || read === lines + 1, `${length} characters`).toBe(true)
    }
    expect(parsed(text).lines).toHaveLength(whole)
  })

  it.each([
    ['', 'This is no record. Make one with: coppice run --record FILE'],
    ['{"type":"run.started"}\n', 'This is no record.'],
    ['# A page\n', 'This is no record.'],
    [
      '{"kind":"record","version":7,"app":"9.0.0"}\n',
      'This record is of a newer kind (7, written by Coppice 9.0.0). This version reads 1. Update Coppice',
    ],
    ['{"kind":"record","version":1}\n', 'Line 1 of this record is damaged (app: '],
  ])('%j is refused with what to do', (text, message) => {
    expect(errorOf(text)).toContain(message)
  })

  it('names the line that is damaged', async () => {
    const lines = (await someRecord()).split('\n')
    expect(errorOf(lines.with(3, '{"kind":"tree"}').join('\n'))).toMatch(/^Line 4 of this record is damaged \(agent: /)
    expect(errorOf(lines.with(3, 'x').join('\n'))).toMatch(/^Line 4 of this record is damaged/)
    expect(errorOf(lines.with(3, '{"kind":"later","agent":"main"}').join('\n'))).toContain('Line 4')
  })
})
