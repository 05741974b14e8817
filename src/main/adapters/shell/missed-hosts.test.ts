import { expect, it } from 'vitest'
import { missedHost } from './missed-hosts.ts'

it.each([
  ['curl: (6) Could not resolve host: packages.example.com', 'packages.example.com'],
  ["fatal: unable to access 'https://git.example/a/': Could not resolve host: git.example", 'git.example'],
  ['wget: unable to resolve host address ‘Files.Example’', 'files.example'],
  ['npm error request to https://npm.example/thing failed, reason: getaddrinfo EAI_AGAIN npm.example', 'npm.example'],
  ['Error: getaddrinfo ENOTFOUND api.example', 'api.example'],
  ["NameResolutionError: Failed to resolve 'pypi.example' ([Errno -3])", 'pypi.example'],
  ['go: dial tcp: lookup proxy.example on 127.0.0.1:53: no such host', 'proxy.example'],
  ['java.net.UnknownHostException: maven.example: Temporary failure in name resolution', 'maven.example'],
  ['curl: (7) Failed to connect to localhost port 80', undefined],
  ['sh: a: Permission denied', undefined],
])('the host of %j is %j', (line, host) => {
  expect(missedHost(line)).toBe(host)
})
