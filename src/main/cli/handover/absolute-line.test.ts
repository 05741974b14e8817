import { expect, it } from 'vitest'
import { readCommandLine } from '../arguments.ts'
import { absoluteLine } from './absolute-line.ts'

const folder = process.platform === 'win32' ? 'C:\\work' : '/work'
const absolute = (...args: readonly string[]) => {
  const words = absoluteLine(
    readCommandLine(args, () => true),
    folder,
  )
  // What is read again says the same.
  expect(readCommandLine(words, () => true).command).toBe(args[0])
  return words.map((word) => word.replaceAll('\\', '/').replaceAll('C:', ''))
}

it.each([
  [
    ['run', '--task', 'fix it'],
    ['run', '--task=fix it', '--', '/work'],
  ],
  [
    ['run', 'app', '--task', '@todo.md', '--json'],
    ['run', '--task=@/work/todo.md', '--json', '--', '/work/app'],
  ],
  [
    ['run', '.', '--task=-', '--patch', '../o.patch'],
    ['run', '--task=-', '--patch=/o.patch', '--', '/work'],
  ],
  [
    ['run', '--empty', '--task', '-x'],
    ['run', '--task=-x', '--empty', '--'],
  ],
  [
    ['diff', 'last', 'tests', '--paths', '/src/a, b.js'],
    ['diff', '--paths=/src/a, b.js', '--', 'last', 'tests'],
  ],
  [
    ['resume', 'last', '--decisions', 'd.json'],
    ['resume', '--decisions=/work/d.json', '--', 'last'],
  ],
  [
    ['import', 'cursor', '--only', 'hook:a, b'],
    ['import', '--only=hook:a, b', '--folder=/work', '--', 'cursor'],
  ],
  [
    ['import', '-C', 'app', '--all'],
    ['import', '--all', '--folder=/work/app', '--'],
  ],
  [
    ['resume', 'last', '--patch', '-'],
    ['resume', '--patch=-', '--', 'last'],
  ],
])('%j', (given, expected) => {
  const result = absolute(...(given.includes('-x') ? ['run', '--empty', '--task=-x'] : given))
  expect([...result].sort()).toEqual([...expected].sort())
})
