import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')

describe('the preload', () => {
  it('is short, CommonJS when built, and exposes nothing but a port', () => {
    const source = readFileSync(join(root, 'src/preload/index.ts'), 'utf8')
    expect(source.split('\n').length).toBeLessThan(40)
    expect([...source.matchAll(/ipcRenderer\.(\w+)/g)].map(([, name]) => name)).toEqual(['send', 'on'])
    expect(readFileSync(join(root, 'electron.vite.config.ts'), 'utf8')).toMatch(/format: 'cjs'/)
  })
})
