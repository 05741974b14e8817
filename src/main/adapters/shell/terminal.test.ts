import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { loadTerminals } from './terminal.ts'

describe('terminal', () => {
  it("is a real terminal of the requested size, without the app's key", async () => {
    process.env.ANTHROPIC_API_KEY = 'canary-key'
    process.env.SHELL = '/bin/bash'
    let output = ''
    const ended = Promise.withResolvers<void>()
    const openTerminal = await loadTerminals()
    const terminal = openTerminal({
      cwd: tmpdir(),
      columns: 91,
      rows: 17,
      onData: (data) => {
        output += data
      },
      onExit: () => ended.resolve(),
    })
    terminal.write('stty size; printenv ANTHROPIC_API_KEY || echo key:none; exit\n')
    await ended.promise
    delete process.env.ANTHROPIC_API_KEY
    expect(output).toContain('17 91')
    expect(output).toContain('key:none')
    terminal.write('ignored after the end')
  })

  it('says so on a system that it has no binary for', async () => {
    const load = () => Promise.reject(new Error('Cannot find the binary\nRequire stack: …'))
    await expect(loadTerminals(load)).rejects.toThrow(/^There is no terminal for .* here\. Use one of your own\./)
  })

  it('ends when it is closed', async () => {
    const ended = Promise.withResolvers<void>()
    const openTerminal = await loadTerminals()
    const terminal = openTerminal({
      cwd: tmpdir(),
      columns: 80,
      rows: 24,
      onData: () => undefined,
      onExit: ended.resolve,
    })
    terminal.close()
    await ended.promise
  })
})
