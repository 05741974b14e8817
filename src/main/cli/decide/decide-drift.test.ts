import { expect, it } from 'vitest'
import type { ApplyTarget } from '#shared/contract/views/branches.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { readCommandLine } from '../arguments.ts'
import { plainText } from '../screen/spans.ts'
import { decideDrift, nextDecisions } from './decide-drift.ts'

const file = (path: string, state: ApplyTarget['state'], joins?: true): ApplyTarget => ({
  ...{ path: path as VirtualPath, kind: 'modify', state, identity: path },
  ...{ why: state === 'ready' ? null : 'It changed.', ...(joins && { joins }) },
})
const files = [
  file('/ready', 'ready'),
  file('/src/a', 'changed', true),
  file('/src/b', 'changed'),
  file('/c', 'refused'),
]

function decide(...flags: readonly string[]) {
  const line = readCommandLine(['apply', 'last', ...flags], () => false)
  return decideDrift(line, files).flatMap(({ path, keep }) => (keep === null ? [] : [`${path} ${keep}`]))
}

it('decides only what changed on disk too, by file or by folder, and joins what can be joined', () => {
  expect(decide()).toEqual([])
  expect(decide('--join')).toEqual(['/src/a both'])
  expect(decide('--join', '--ours', 'src/b', '--theirs', '/c')).toEqual(['/src/a both', '/src/b ours', '/c theirs'])
  expect(decide('--join', '--theirs', '/src')).toEqual(['/src/a theirs', '/src/b theirs'])
})

it.each([
  [['--ours', '/ready'], 'nothing at /ready changed both in the thread and on disk'],
  [['--theirs', '/none'], '--theirs: nothing at /none'],
  [['--ours', '/src', '--theirs', '/src/b'], '/src/b is named by --ours and by --theirs. Choose one.'],
  [['--ours', '../x'], '--ours: ../x:'],
])('refuses %s', (flags, message) => {
  expect(() => decide(...flags)).toThrow(message)
})

const offered = (some: readonly ApplyTarget[], gone: Parameters<typeof nextDecisions>[3] = []) => {
  const line = readCommandLine(['apply', 'last'], () => false)
  const undecided = some.map((one) => ({ ...one, keep: null }))
  return nextDecisions(line, 'thread', undecided, gone).map(plainText).join('\n')
}

it('offers the thread’s version only of a file that can be written', () => {
  expect(offered([file('/c', 'refused')])).not.toContain('--ours')
  expect(offered([file('/c', 'refused'), file('/b', 'changed')])).toMatch(/--ours \/b .*--theirs \/c /s)
})

// Mutation: without `gone`, a version is offered that nobody can write, or that drops the changes.
it('offers nothing about a folder that is not on disk, and takes no decision about it', () => {
  const gone = [{ root: '/lib' as VirtualPath, path: '/home/me/lib' }]
  const inside = [file('/lib/a', 'refused'), file('/b', 'changed')]
  expect(offered(inside, gone)).toBe('Nothing was written. Put the folder /home/me/lib back, then apply again.')
  const line = readCommandLine(['apply', 'last', '--theirs', '/lib'], () => false)
  expect(() => decideDrift(line, inside, gone)).toThrow('--theirs: nothing at /lib')
})
