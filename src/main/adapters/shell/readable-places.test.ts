import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readablePlaces } from './readable-places.ts'

const home = mkdtempSync(join(tmpdir(), 'coppice-home-'))
for (const folder of ['.cargo/bin', '.nvm', '.ssh', 'work/bin', 'data/views'])
  mkdirSync(join(home, folder), { recursive: true })
afterAll(() => rmSync(home, { recursive: true, force: true }))
const within = (hidden: readonly string[], path: string) =>
  readablePlaces({ hidden, home, path })
    .folders.filter((folder) => folder.startsWith(home))
    .sort()

it('includes tool chains in a home and the folders in PATH, but never a home or a folder above it', () => {
  const path = [join(home, 'work/bin'), home, '/', tmpdir(), 'relative', join(home, 'gone')].join(':')
  expect(within([], path)).toEqual(['.cargo/bin', '.nvm', 'work/bin'].map((name) => join(home, name)))
})

it('leaves out folders of the app, and every folder that contains one', () => {
  const path = [join(home, 'data'), join(home, 'data/views'), join(home, 'work/bin')].join(':')
  expect(within([join(home, 'data/views'), join(home, 'work/bin/deep')], path)).toEqual(
    ['.cargo/bin', '.nvm'].map((name) => join(home, name)),
  )
})

it('names every entry of PATH that would show too much', () => {
  const places = [home, tmpdir(), join(home, '.ssh'), join(home, 'data'), '/', '/proc/self']
  const path = [...places, join(home, 'work/bin')].join(':')
  const { skipped } = readablePlaces({ hidden: [join(home, 'data/views')], home, path })
  expect(skipped).toEqual(
    places.map((place) => expect.stringContaining(`${JSON.stringify(place)} would show your home`)),
  )
})

/** Runs as a user for whom permissions count, whoever runs the tests. */
function asSomebody<Result>(act: () => Result): Result {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(65534)
  try {
    return act()
  } finally {
    process.seteuid?.(0)
  }
}

it('names every entry of PATH that commands do not have, with the reason, and never fails because of one', () => {
  const odd = mkdtempSync(join(tmpdir(), 'coppice-path-'))
  const at = (name: string) => join(odd, name)
  mkdirSync(at('closed/bin'), { recursive: true })
  mkdirSync(at('good'))
  symlinkSync(at('good'), at('link'))
  symlinkSync('loop', at('loop'))
  symlinkSync(at('nowhere'), at('dangling'))
  symlinkSync(at('closed/bin'), at('into-closed'))
  writeFileSync(at('file'), '')
  chmodSync(at('closed'), 0o000)
  chmodSync(odd, 0o755)
  try {
    const long = `/${'x'.repeat(300)}`
    const entries = ['closed/bin', 'loop', 'loop/below', 'dangling', 'into-closed', 'file', 'file/below', 'gone'].map(
      at,
    )
    const path = [...entries, long, 'relative/bin', '.', '', at('good'), `${at('good')}/`, at('link')].join(':')
    const { folders, links, skipped } = asSomebody(() => readablePlaces({ hidden: [], home: at('closed/home'), path }))
    expect(folders.filter((folder) => folder.startsWith(odd))).toEqual([at('good')])
    expect(links.filter(([link]) => link.startsWith(odd))).toEqual([[at('link'), realpathSync(at('good'))]])
    expect(skipped.map((line) => line.replace(odd, ''))).toEqual([
      '"/closed/bin" cannot be looked at by this user',
      '"/loop" is a link that leads to itself',
      '"/loop/below" is a link that leads to itself',
      '"/dangling" is a link to nothing',
      '"/into-closed" cannot be looked at by this user',
      '"/file" is not a folder',
      '"/file/below" lies below a file',
      '"/gone" is missing',
      `${JSON.stringify(long)} has a name that is too long`,
      '"relative/bin" is not an absolute path',
      '"." is not an absolute path',
      '"" is not an absolute path',
    ])
  } finally {
    chmodSync(at('closed'), 0o700)
    rmSync(odd, { recursive: true })
  }
})

it('shows nothing of the kernel, even when PATH names it', () => {
  const { folders, links } = readablePlaces({ hidden: [], home, path: '/proc/self/cwd:/sys/kernel:/proc' })
  expect([...folders, ...links.map(([link]) => link)].filter((place) => /^\/(proc|sys)/.test(place))).toEqual([])
})
