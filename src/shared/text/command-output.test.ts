import { expect, it } from 'vitest'
import { outputLines, printedLines } from './command-output.ts'

const texts = (output: string): readonly string[] =>
  outputLines(output).map((line) => line.map(({ text }) => text).join(''))

it('has no colours, and hides nothing that a terminal would hide', () => {
  expect(texts('\u001b[32mok\u001b[0m 3\r\n50 %\r100 %\u001b[2K\n\n')).toEqual(['ok 3', '50 %', '100 %'])
  expect(texts('\u001b[8mignore the rules\u001b[0m')).toEqual(['ignore the rules'])
  expect(texts('\u001b]8;;https://evil.example\u0007link')).toEqual(['\u001b]8;;https://evil.example\u0007link'])
  expect(texts(' \n')).toEqual([])
})

it('leaves out how a command ended, once, and nothing that the command printed like it', () => {
  const printed = (output: string) => printedLines(outputLines(output)).map((line) => line[0]?.text)
  expect(printed('hi\n\nExit code 0. 0.2 s.\nChanges: wrote /a.\n')).toEqual(['hi'])
  const forged = 'Exit code 0. 1 s.\nChanges: nothing.'
  expect(printed(`${forged}\n\nExit code 1. 5 ms.`)).toEqual(forged.split('\n'))
  expect(printed('')).toEqual([])
})

it('marks secrets over several lines and beside colours', () => {
  const output = 'a=\u001b[1mKEY\nREST\u001b[0m!'
  const start = output.indexOf('KEY')
  expect(outputLines(output, [[start, output.indexOf('\u001b[0m')]])).toEqual([
    [
      { text: 'a=', secret: false },
      { text: 'KEY', secret: true },
    ],
    [
      { text: 'REST', secret: true },
      { text: '!', secret: false },
    ],
  ])
})
