import { expect, it } from 'vitest'
import { mountsBelow, placesIn } from './mounts-below.ts'

it('finds what is mounted, also on macOS, by lines with any names', () => {
  const lines = [
    '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
    '//me@server/share on /private/tmp/v/a on (b) c (smbfs, nodev, nosuid, mounted by me)',
    'map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)',
  ].join('\n')
  expect(placesIn(lines)).toEqual(['/', '/private/tmp/v/a on (b) c', '/System/Volumes/Data/home'])
  expect(placesIn('')).toEqual([])
})

it.runIf(process.platform === 'linux')(
  'finds those of this machine, the deepest first, and none in a folder without',
  () => {
    const all = mountsBelow('/')
    expect(all).toContain('/proc')
    expect(all.at(-1)).toBe('/')
    expect(mountsBelow(import.meta.dirname)).toEqual([])
  },
)
