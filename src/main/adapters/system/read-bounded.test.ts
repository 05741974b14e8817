import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readBounded, textIfReadable } from './read-bounded.ts'

let folder: string
const at = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-bounded-'))
})

describe('a bounded read', () => {
  it('gives a file whole, also one that the system makes up, and one that is exactly as long as allowed', () => {
    writeFileSync(at('file'), 'ä'.repeat(100_000))
    expect(readBounded(at('file')).toString()).toBe('ä'.repeat(100_000))
    expect(readBounded(at('file'), { most: 200_000 })).toHaveLength(200_000)
    if (process.platform === 'linux') expect(textIfReadable('/proc/self/stat')).toContain(`${process.pid}`)
  })

  // Mutation: without its check, each of these waits, or reads until the memory is used up.
  it.skipIf(process.platform === 'win32')('refuses what has no end, and waits for nothing', () => {
    execFileSync('mkfifo', [at('pipe')])
    mkdirSync(at('folder'))
    writeFileSync(at('sparse'), '')
    truncateSync(at('sparse'), 20 * 1024 ** 3)
    for (const [name, target] of Object.entries({ zero: '/dev/zero', random: '/dev/urandom', toPipe: at('pipe') }))
      symlinkSync(target, at(name))
    const codes = ['pipe', 'folder', 'sparse', 'zero', 'random', 'toPipe', 'nothing'].map((name) => {
      try {
        readBounded(at(name))
      } catch (error) {
        return (error as NodeJS.ErrnoException).code
      }
      return 'read'
    })
    expect(codes).toEqual(['EFTYPE', 'EISDIR', 'EFBIG', 'EFTYPE', 'EFTYPE', 'EFTYPE', 'ENOENT'])
    expect(textIfReadable(at('zero'))).toBeUndefined()
  })

  it.skipIf(process.platform === 'win32')('follows a link only where it may', () => {
    writeFileSync(at('file'), 'text')
    symlinkSync(at('file'), at('link'))
    expect(textIfReadable(at('link'))).toBe('text')
    expect(textIfReadable(at('link'), { follows: false })).toBeUndefined()
  })

  it.skipIf(process.platform === 'win32')(
    'takes what a person names as well from a pipe or a device, within the bounds',
    () => {
      execFileSync('mkfifo', [at('pipe')])
      const waits = { waitMs: 30 }
      expect(readBounded('/dev/null', waits)).toHaveLength(0)
      expect(() => readBounded('/dev/zero', waits)).toThrow('it holds more than 16 MB')
      expect(() => readBounded(at('pipe'), waits)).toThrow('nothing came within 0.03 s')
      spawn('sh', ['-c', 'printf one > "$0"', at('pipe')], { stdio: 'ignore' })
      expect(readBounded(at('pipe'), { waitMs: 30_000 }).toString()).toBe('one')
    },
  )
})
