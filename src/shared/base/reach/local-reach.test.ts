import { expect, it } from 'vitest'
import { isGrantable, localPortIn, reachProblem, reachWarnings, readReach } from './local-reach.ts'

it('sorts what a person grants into hosts, ports and sockets of this machine', () => {
  const names = [
    'a.org',
    'localhost:5432',
    '/run/docker.sock',
    '127.0.0.1:80',
    'localhost',
    'localhost:99999',
    'b.org:443',
  ]
  expect(readReach(names)).toEqual({
    hosts: ['a.org', 'localhost', 'localhost:99999', 'b.org:443'],
    localPorts: [5432, 80],
    sockets: ['/run/docker.sock'],
  })
  expect(localPortIn('localhost:0')).toBeNull()
})

it.each(['a.org', 'localhost:5432', '/run/docker.sock', '/tmp/a b.sock'])('grants %j', (name) => {
  expect([isGrantable(name), reachProblem(name)]).toEqual([true, null])
})

it.each([
  '/',
  '/run/',
  '/run/../etc',
  '/run/./a',
  '/a\0b',
  '/a\nb',
  '/run/\u202ekcos.rekcod',
  '/run/a\u{3164}.sock',
  '/run/a\u00a0b.sock',
  '/run/a\u2028b.sock',
  '/proc/self/cwd/a.sock',
  `/${'é'.repeat(54)}`,
  'run/a.sock',
  '~/a.sock',
])('does not grant %j', (name) => {
  expect(isGrantable(name)).toBe(false)
})

// Mutation: show a path as it is.
it('says why a path with characters that nobody sees is none, and shows them', () => {
  expect(reachProblem('/run/\u202ex\u001b[2J.sock')).toBe(
    '"/run/\ufffdx\ufffd[2J.sock" has characters that nobody sees. Write the path without them.',
  )
})

// Mutation: take a path into a sentence as it is.
it('warns of a socket by a name that looks like one name', () => {
  expect(reachWarnings(['/run/a, b.sock'])[1]).toMatch(/^"\/run\/a, b\.sock": Whoever has it/)
})
