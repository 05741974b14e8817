import { expect, it } from 'vitest'
import type { RunEnd } from '../types/loop-context.ts'
import { withRefusedHosts } from './refused-hosts.ts'

const failed: RunEnd = { status: 'failed', reason: 'model_error', message: 'It broke.' }

it('names the hosts that the sandbox kept an agent from, and what allows the first', () => {
  expect(withRefusedHosts(failed, ['a.example:443', 'b.example:443'])).toEqual({
    ...{ status: 'failed', reason: 'model_error', cause: 'hosts_refused' },
    message:
      'It broke. The sandbox kept it from a.example:443, b.example:443. Allow what it needs, such as --allow-host a.example:443, and go on.',
    refusedHosts: ['a.example:443', 'b.example:443'],
  })
})

it('says nothing where nothing was refused, and where something else is the cause', () => {
  const login = { ...failed, cause: 'login' }
  expect(withRefusedHosts(failed, [])).toBe(failed)
  expect(withRefusedHosts(login, ['a.example:443'])).toBe(login)
})

/** Mutation: offer each host as the agent asked for it. Its words stand in the message, and the journal takes no long one. */
it.each([
  `${'a'.repeat(5_000)}.example:443`,
  'a\u202egpj.example:443',
  '\u001b[2Ja.example:443',
  '[::1]:443',
  '/run/docker.sock',
  '127.1:80',
  'a.example:99999',
  '*:443',
])('offers no host that nobody can allow, and names it as one short line: %j', (host) => {
  const alone = withRefusedHosts(failed, [host])
  expect(alone).not.toHaveProperty('refusedHosts')
  expect(alone.message).toMatch(/^It broke\. The sandbox kept it from .{4,300}\. No host like it can be allowed\.$/)
  expect(alone.message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  const both = withRefusedHosts(failed, [host, 'a.example:443'])
  expect(both).toMatchObject({ cause: 'hosts_refused', refusedHosts: ['a.example:443'] })
  expect(both.message).toContain('such as --allow-host a.example:443, and go on.')
})
