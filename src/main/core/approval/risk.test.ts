import { describe, expect, it } from 'vitest'
import { accessOf, toolFacts } from '#shared/tools/tool-facts.ts'
import { riskOf } from './risk.ts'

const command = (line: string, sandboxed = true) =>
  riskOf({ tool: toolFacts.execute, access: accessOf(toolFacts.execute.access, { command: line }) }, sandboxed)

describe('the risk of a command', () => {
  it('is low in a sandbox without network', () => {
    expect(command('npm test && node build.js')).toEqual({ risk: 'low', riskReason: 'sandboxed and offline' })
    expect(command('git status; git commit -m "push it"').risk).toBe('low')
  })

  it('is medium when it names hosts', () => {
    expect(command('curl https://a.org/x https://b.org')).toEqual({
      risk: 'medium',
      riskReason: 'it names a.org and 1 more',
    })
  })

  it.each([
    ['git push origin main', 'git push'],
    ['cd src && git -C lib push', 'git push'],
    ['bash -c "npm publish"', 'npm publish'],
    ['sudo -E true', 'sudo true'],
    ['/usr/bin/kubectl --context x apply -f a.yml', 'kubectl apply'],
  ])('is high when it changes something outside: %s', (line, said) => {
    expect(command(line)).toEqual({ risk: 'high', riskReason: `it changes something outside: ${said}` })
  })

  it('is high without a sandbox', () => {
    expect(command('ls', false)).toEqual({
      risk: 'high',
      riskReason: 'no sandbox, or only a partial one: it may do what you can',
    })
  })
})

it('is low for a change of the copy, and high for files outside it', () => {
  const write = {
    tool: toolFacts.write_file,
    access: accessOf(toolFacts.write_file.access, { file_path: '/a' }),
  } as const
  expect(riskOf(write, true)).toEqual({ risk: 'low', riskReason: "changes only the agent's copy" })
  expect(riskOf({ ...write, mustAsk: 'a real folder' }, true).risk).toBe('high')
})
