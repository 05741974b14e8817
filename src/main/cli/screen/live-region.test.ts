import { describe, expect, it } from 'vitest'
import { createLiveRegion } from './live-region.ts'
import { createPaint } from './paint.ts'
import { lineOf } from './spans.ts'
import { openTestTerminal } from './terminal.testkit.ts'

function openRegion(columns: number, rows = 10) {
  const terminal = openTestTerminal(columns, rows)
  return { terminal, region: createLiveRegion(terminal.screen, createPaint(8), terminal.write) }
}
const lines = (...texts: readonly string[]) => texts.map((text) => lineOf(text, 'good'))

describe.each([40, 80, 120])('at %d columns', (columns) => {
  it('draws rows in place below lines that stay', async () => {
    const { terminal, region } = openRegion(columns)
    region.draw(lines('works 0:00', 'status'))
    region.print(lines('one', 'two'))
    region.draw(lines('works 0:01', 'status'))
    region.print(lines('three'), lines('status'))
    expect(await terminal.rows()).toEqual(['one', 'two', 'three', 'status'])
    region.clear()
    expect(await terminal.rows()).toEqual(['one', 'two', 'three'])
  })

  it('cuts rows that are too long, wide characters too', async () => {
    const { terminal, region } = openRegion(columns)
    region.draw(lines('文'.repeat(columns), 'status'))
    region.draw(lines('文'.repeat(columns), 'status'))
    const [row = '', status] = await terminal.rows()
    expect([row.endsWith('…'), status]).toEqual([true, 'status'])
  })

  it('leaves nothing behind when the terminal becomes narrower', async () => {
    const { terminal, region } = openRegion(columns)
    region.print(lines('stays'))
    region.draw(lines('x'.repeat(columns - 2), 'status'))
    terminal.resize(columns / 2, 10)
    region.draw(lines('works', 'status'))
    expect(await terminal.rows()).toEqual(['stays', 'works', 'status'])
  })
})

it('never takes more rows than the screen has', async () => {
  const { terminal, region } = openRegion(40, 5)
  for (let time = 0; time < 3; time += 1) region.draw(lines(...Array.from({ length: 20 }, (_, row) => `row ${row}`)))
  expect(await terminal.rows()).toEqual(['row 16', 'row 17', 'row 18', 'row 19'])
})

// Mutation: without `harmless` in the paint, the second line clears the screen.
it('lets no text move the cursor', async () => {
  const { terminal, region } = openRegion(80)
  region.print(lines('first'))
  region.print(lines('\u001b[2J\u001b[1;1Hgone\r\u0008\u0008'))
  const [first, second] = await terminal.rows()
  expect([first, second]).toEqual(['first', '\\u{001b}[2J\\u{001b}[1;1Hgone\\u{000d}\\u{0008}\\u{0008}'])
})
