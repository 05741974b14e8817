import { expect, it } from 'vitest'
import { type EntryType, entrySchema } from '#shared/model/entry.ts'
import { isLive } from '#shared/model/event.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { kindOf } from './call-updates.ts'
import { eventUpdates } from './entry-updates.ts'
import { fenced } from './shown-text.ts'

it('every kind of entry reaches an editor, or there is a reason why it does not', () => {
  const entries = Object.keys(eventUpdates).filter((type) => !isLive({ type } as never))
  const stored = entrySchema.options as unknown as readonly { shape: { type: { values: Set<EntryType> } } }[]
  expect(entries.sort()).toEqual(stored.flatMap(({ shape }) => [...shape.type.values]).sort())
  for (const [type, tell] of Object.entries(eventUpdates))
    if (typeof tell === 'string') expect(tell, type).toMatch(/^[A-Z].{15,}\.$/)
})

it('every tool is drawn as something', () => {
  const drawn = Object.keys(toolFacts).filter((name) => kindOf(name) !== 'other')
  expect(Object.keys(toolFacts).filter((name) => !drawn.includes(name))).toEqual([
    ...[
      'task',
      'spawn_subagents',
      'agent_wait',
      'agent_message',
      'agent_stop',
      'batch_task',
      'attempts',
      'agent_call',
      'ask_user',
    ],
  ])
  expect(kindOf('mcp__server__tool')).toBe('other')
})

it.each(['plain', '```\ncode\n```', '````\nmore\n````'])('text that holds fences stays inside of one: %j', (text) => {
  const [open = ''] = /^`+/.exec(fenced(text)) ?? []
  expect(text.includes(open)).toBe(false)
  expect(fenced(text)).toBe(`${open}\n${text}\n${open}`)
})
